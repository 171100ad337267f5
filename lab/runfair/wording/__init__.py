"""How texts, quantities, figures and tables are worded, wherever they are shown."""
