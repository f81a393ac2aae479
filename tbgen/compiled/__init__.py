"""Everything about numba: decorators, where compiled kernels are kept, linking."""
