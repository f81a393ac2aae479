"""Apps: what people use tables for. The core imports none of them."""
