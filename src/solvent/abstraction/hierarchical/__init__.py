"""hierarchical."""
