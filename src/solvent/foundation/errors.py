"""The error for what a user can put right."""

from __future__ import annotations


class InputError(ValueError):
    """Something that was given cannot be used. Its message is one sentence for the person who can mend it."""
