"""The command line. Each verb has a module that reads the arguments, calls the lab and prints. The
modules contain no other logic.
"""
