"""Kernels compiled before they are needed, several at a time, in processes of their own."""
