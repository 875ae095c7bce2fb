"""What a user can put right."""

from __future__ import annotations


class InputError(ValueError):
    """Something given cannot be used. The message is one sentence for the person who can mend it."""
