"""Hold: proofs that a side keeps a score for ever, with any number of men and without tables."""
