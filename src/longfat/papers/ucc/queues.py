"""Queues simulated event by event (Ciw), to check (5) for packets and for time (paper: ucc)."""

import ciw
import pandas as pd

from longfat.errors import InputError, nearest

# Distributions with mean 1 and the squared coefficients of variation 1, 0, 1/4, 4.6 and 1/3.
DISTRIBUTIONS = {
    "M": lambda mean: ciw.dists.Exponential(1 / mean),
    "D": lambda mean: ciw.dists.Deterministic(mean),
    "E4": lambda mean: ciw.dists.Gamma(4, mean / 4),
    "H2": lambda mean: ciw.dists.HyperExponential([1.8 / mean, 0.2 / mean], [0.9, 0.1]),
    "U": lambda mean: ciw.dists.Uniform(0, 2 * mean),
}


def simulate(queue: str, utilization: float, packets: int = 20_000, seed: int = 1) -> pd.Series:
    """Return what `packets` packets of a queue with one server meet.

    `queue` is Kendall's notation such as "M/D/1", with M, D, E4, H2 or U (uniform) for the times
    between arrivals and for the service times. `busy` is the fraction of time in which the server
    works, `queued` the fraction of packets that wait, which is what (6) measures.
    Raises InputError for another queue, or a utilization not between 0 and 1.
    """
    parts = queue.split("/")
    for name in parts[:2]:
        if name not in DISTRIBUTIONS:
            known = list(DISTRIBUTIONS)
            raise InputError(
                f"queue is '{queue}': distributions are {', '.join(known)}.{nearest(name, known)}"
            )
    if len(parts) != 3 or parts[2] != "1":
        raise InputError(f"queue is '{queue}': write for example M/D/1, with one server")
    if not 0 < utilization < 1:
        raise InputError(f"utilization is {utilization}: it must be above 0 and below 1")
    network = ciw.create_network(
        arrival_distributions=[DISTRIBUTIONS[parts[0]](1.0)],
        service_distributions=[DISTRIBUTIONS[parts[1]](utilization)],
        number_of_servers=[1],
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(packets)
    records = pd.DataFrame(simulation.get_all_records())
    return pd.Series(
        {
            "queue": queue,
            "utilization": utilization,
            "busy": records["service_time"].sum() / records["service_end_date"].max(),
            "queued": (records["waiting_time"] > 1e-9).mean(),
            "packets": len(records),
        }
    )
