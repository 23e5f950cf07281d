"""The table of derivatives, and what stands beside it. Importing this package declares every row.

`table`: one row, one operation, its derivatives beside its forward. `kernels`: what a row computes where that
takes more than a line, in NumPy, and parts of derivatives. `calls`: the forms in which PyTorch takes an operation,
what it refuses, and what it composes of several rows. Each of these rooms imports only those named before it:
kernels, table, calls; `checks`, what is asked of arguments, serves all three.
"""

from . import calls, kernels, table
