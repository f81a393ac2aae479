"""Pages: reports of records, the explorer, and the server that answers over HTTP."""
