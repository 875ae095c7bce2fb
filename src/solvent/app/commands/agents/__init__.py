"""Commands on hold'em agents: `train`, `play`, `match`, `evaluate`, `abstract`."""
