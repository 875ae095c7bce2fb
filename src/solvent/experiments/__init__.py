"""What `solvent bench` and `solvent reproduce` run: one module per table or figure."""
