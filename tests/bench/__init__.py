"""Benchmarks: the same programs in minigrad, in NumPy by hand, in torch and in three small peers.

`workloads.py` holds the programs, `interleaved.py` compares them in one run, `costs.py` measures
imports and memory in fresh interpreters, `anatomy.py` takes one recorded op apart.
Importing this package before NumPy keeps every engine on one thread.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")
