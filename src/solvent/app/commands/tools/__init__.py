"""Commands beside the pipeline: `cards`, `warm`."""
