"""Tests that runs survive kills at any moment, single changed bits, and systems that refuse a call.

`forking` starts commands quickly, `test_kills` kills them and `test_changed_bits` damages their files. `faults`
stands between solvent and the system: `test_faults` fails the n-th write, sync, rename or allocation of a table,
and `test_read_only` everything that would change a file. Most of these tests are slow (`make test-all`).
"""
