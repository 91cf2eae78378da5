"""What GitHub knows of pull requests beyond the git history: bodies as edited, labels, issues, reviews, discussion."""
