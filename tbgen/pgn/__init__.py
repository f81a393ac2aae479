"""Games as text: tags and files of games."""
