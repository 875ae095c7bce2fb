"""The result of solving: tables, storage, runs."""
