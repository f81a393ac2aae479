"""The server: HTTP only, and behind a proxy when it is public."""
