"""Build the engine as WebAssembly, in its place: `python -m longfat.engines.segment`."""

from longfat.engines.segment import wasm

wasm.build_in_place()
print(f"{wasm.MODULE}: {wasm.MODULE.stat().st_size} bytes")
