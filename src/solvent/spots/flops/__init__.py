"""Reports over many flops: which flops stand for all (`choice`), how they are told apart (`texture`), `report`.

Imports from `spots` and what that imports. Begin with `report`.
"""
