"""Public sampling beside external sampling, which belongs to no one paper.

`comparison` has the parts of `solvent reproduce public-sampling`: each trains two agents, one in each way, for
equal times and measures what responses win from them; `comparison_page` writes the results page. Start with
`comparison`.
"""
