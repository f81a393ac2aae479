"""The explorer: a page that shows what positions are worth, for a server's answers or for tables as plain files."""
