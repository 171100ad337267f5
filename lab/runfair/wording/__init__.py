"""The wording of texts, quantities, figures and tables, shared by all outputs."""
