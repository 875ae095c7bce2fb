"""What stands for what: public states in clusters, private states in buckets."""
