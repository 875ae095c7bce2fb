"""Regret rules and the plans that run them."""
