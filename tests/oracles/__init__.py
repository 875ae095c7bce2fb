"""Slow, obvious answers that the fast code is checked against, and random games and cards to check it on."""
