"""Files and processes of the operating system; and the version of tbgen."""

__version__ = "0.1.0"
