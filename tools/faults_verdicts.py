"""Make data/faults-verdicts.csv: what the chapters' claims are judged by, with ns-3's faults.

python tools/faults_verdicts.py [paper ...]      all papers take some hours of one core
"""

import sys

import pandas as pd

from longfat.studies import faults_verdicts


def main(papers: list[str]) -> None:
    known = {}
    if faults_verdicts.EVIDENCE.exists():
        known = dict(list(faults_verdicts.evidence().groupby("paper", sort=False)))
    for paper in papers or list(faults_verdicts.CHAPTERS):
        known[paper] = faults_verdicts.make(paper)
    order = [known[paper] for paper in faults_verdicts.CHAPTERS if paper in known]
    table = pd.concat(order, ignore_index=True)
    table.to_csv(faults_verdicts.EVIDENCE, index=False, float_format="%.6g")


if __name__ == "__main__":
    main(sys.argv[1:])
