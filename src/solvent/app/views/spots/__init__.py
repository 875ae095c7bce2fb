"""Views of spots: the result of a solve, nodes as tables and grids, larger trees, reports over flops."""
