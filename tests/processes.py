"""The processes of a sweep, as a test that kills or counts them sees them."""


def runs_of(server):
    """Return the processes in which the server of ns-3 runs scenarios."""
    return server.children()
