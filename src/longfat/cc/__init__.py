"""Congestion controls: one C++ header an algorithm, and the catalogue that lists them."""
