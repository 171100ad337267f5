"""Programs that are servers, driven by the load generator: a pass over one is an iteration.

executor.Driver     one execution: the server started, passes made over it, its end
client.Client       what is asked of a server, and its answer as a digest
"""
