"""The command line: one module for each verb, which reads the arguments, calls the lab and prints.
The modules contain no other logic.
"""
