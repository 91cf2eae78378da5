"""The retriever in the form of other libraries. Each of them is imported by the module with its name alone."""
