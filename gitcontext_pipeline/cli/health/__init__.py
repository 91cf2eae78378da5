"""What `gitcontext doctor` looks at."""
