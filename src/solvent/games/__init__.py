"""Rules only: who acts, what is legal, what it pays. No solving, no compiler."""
