"""What rows compute, as functions of arrays; parts of derivatives, which run on arrays, tensors and symbols."""
