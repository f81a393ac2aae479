"""What files and processes need of the operating system."""
