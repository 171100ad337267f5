"""Services run at their operating point, with what they need beside them.

executor             one execution of a service, from its start to its record
fleet                the instances of a service, side by side
instance             one of them: started, waited for, ended
measurement          the loads on it: operating point, curve, capacity
observation          what it and its neighbours use meanwhile
chronicle            what its runtime did meanwhile
neighbours           its database behind a relay, as it reaches them
database             PostgreSQL: a private instance, or the user's own by its URL
relay                the measuring relay's typed client
process_accounting   what a living process tree has taken so far
joint_accounting     several trees taken as one
"""
