"""Files and processes of the operating system."""
