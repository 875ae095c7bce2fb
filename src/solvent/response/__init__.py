"""Best responses, exploitability and value."""
