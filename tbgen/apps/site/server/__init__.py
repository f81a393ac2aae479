"""The tables as a web service: answers as JSON, the files themselves, and the explorer's page."""
