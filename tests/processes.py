"""The processes of a sweep, as a test that kills or counts them sees them."""

import psutil


def runs_of(server):
    """Return the processes in which the server of ns-3 runs scenarios.

    While the server loads ns-3, Cling asks the C++ compiler for its folders through a shell: that
    child is no run.
    """
    return [child for child in server.children() if not _is_shell(child)]


def _is_shell(process):
    try:
        return process.name() in ("sh", "dash", "bash")
    except psutil.NoSuchProcess:
        return True  # it has just ended: no run to count either
