"""The new transport core: TCP by the RFCs, in 64 bits, with an interface of its own.

It grows beside the engine `segment`, which it will replace with all results computed again.
"""
