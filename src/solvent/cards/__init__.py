"""Playing cards: what they are called, and which hand beats which."""
