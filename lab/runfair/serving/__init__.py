"""Services run at their operating point, with what they need beside them.

executor             one execution of a service, from its start to its record
fleet                the instances of a service, side by side
instance             one of them: started, waited for, ended
measurement          the loads on it: operating point, curve, capacity; what is used meanwhile
databases            its databases, each behind a relay
database             PostgreSQL: a private instance, or the user's own by its URL
relay                the measuring relay's typed client
process_accounting   what one living process tree, or several together, have taken so far

driven_executor      one execution of a benchmark whose program is a server: passes over it
pass_client          the loads of a pass, and afterwards the digest of its answer
"""
