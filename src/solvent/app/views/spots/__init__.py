"""Views of spots: what a solve found, the strategy as a grid, a report over flops. Draws, and knows no command."""
