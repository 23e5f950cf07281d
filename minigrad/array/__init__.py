"""The arrays under a tensor: where they live, what they hold, how they are drawn and printed.

`backend` is the only file that names NumPy or CuPy, `dtypes` is torch's type system, `random` its
random stream and `printing` its text. Nothing here has heard of tensors or gradients.
"""
