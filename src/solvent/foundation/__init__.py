"""The ground on which every other room stands: it knows no cards and no games.

`storage/` has the files and folders that survive kills, `kernels/` how compiled code is made and run. Beside them
stand progress and stopping (`progress`) and how progress is shown (`showing`), own code by name (`own_code`),
packages whose names load on first use (`lazy`), what is missing when an extra is not installed (`extras`), names
that are nearly right (`names`), the colours of actions (`colours`), the machine, units and the one error that
users see (`errors`). It imports nothing else of the package. Start reading with `storage/run`: everything that
takes long is a run.
"""
