"""Tables: what they hold, and how they are kept on disk."""
