"""One accrued code after another: classes, middles, labels, histories, patterns."""
