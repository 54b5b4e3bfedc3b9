"""Tables that chapters make of their runs, from runs that are made up."""

import pandas as pd

from longfat.papers.tcpj import analysis as tcpj


def test_engines_stand_beside_each_other_where_several_have_a_case():
    rows = [(1e-6, "NewReno", "segment", 5.0), (1e-6, "NewReno", "ns3", 4.0)]
    rows += [(1e-6, "NewReno", "ns3", 4.5), (1e-6, "TCP-J", "segment", 6.0)]
    runs = pd.DataFrame(rows, columns=["bit_error_rate", "protocol", "engine", "Mb/s"])
    table = tcpj.engines_beside(runs)
    assert list(table) == ["bit_error_rate", "protocol", "segment engine", "ns-3"]
    assert table.to_numpy().tolist() == [[1e-6, "NewReno", "5.00", "4.25 ± 3.18"]]
