"""Verdicts on claims: the rule of each kind, judging by them, and the words for it."""
