"""Services run at their operating point, together with their databases.

executor             one execution of a service, from its start to its record
peak_executor        one execution of a service at its peak: a closed loop, window by window
running_service      a service: its instances, side by side
instance             one instance: started, waited for, ended
measurement          its loads (operating point, curve, capacity) and its use of resources
databases            the databases of a run, each behind a relay
database             PostgreSQL: a private instance, or the user's own by its URL
relay                the measuring relay's typed client
process_accounting   what one or several living process trees have used so far

driven_executor      one execution of a benchmark whose program is a server: passes over it
pass_client          the loads of a pass, and afterwards the digest of its answer
"""
