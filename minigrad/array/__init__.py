"""The arrays under a tensor: where they live, what they hold, how they are drawn and printed.

`backend` is the only file that names NumPy or CuPy, `dtypes` is torch's type system, `random` its
random stream, `special` has erf and gamma, `matrix` LU factors and exponentials, which NumPy lacks,
`printing` its text. Nothing here has heard of tensors or gradients.
"""

from .backend import (HOST, accumulate, add_at, address, as_strided, device, device_count, device_of, flipped, geometry,
    in_order, largest, layout, memory_order, move, namespace, ndarray, reach, strided, strides, xp, zeros_later)
