"""Agents, matches between them and what came of it."""
