"""Files and processes of the operating system, and the version of tbgen that they meet."""

__version__ = "0.1.0"
