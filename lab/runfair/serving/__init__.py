"""Services run at their operating point, with what they need beside them.

database             PostgreSQL: a private instance, or the user's own by its URL
process_accounting   what a living process tree has taken so far
"""
