"""What a run must survive: kills at any moment, and single changed bits in any of its files.

These tests are slow (`make test-all`). `forking` starts commands quickly, `test_kills` kills them and
`test_changed_bits` damages their files.
"""
