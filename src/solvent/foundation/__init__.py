"""What every other room stands on, and what knows no cards and no games.

Files that survive kills (`files`, `run`, `pack`), folders of tables that are compared with their checksums when
they are opened (`bundle`), threads, progress and stopping (`threads`, `progress`), how kernels are compiled and
what they draw at random (`compiling`, `intrinsics`, `randomness`), own code by name (`own_code`), packages
whose names load on first use (`lazy`), names that are nearly right (`names`), memory, the machine, units and
the one error that users see (`errors`). It imports nothing else of the package. Start reading with `run`:
everything that takes long is a run.
"""
