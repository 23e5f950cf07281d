"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from . import attention as attention, functional as functional, init as init, parameter as parameter, utils as utils
from .attention import MultiheadAttention as MultiheadAttention, TransformerEncoderLayer as TransformerEncoderLayer
from .layers import (
    AdaptiveAvgPool1d as AdaptiveAvgPool1d, AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveMaxPool1d as AdaptiveMaxPool1d, AdaptiveMaxPool2d as AdaptiveMaxPool2d, AvgPool1d as AvgPool1d,
    AvgPool2d as AvgPool2d, BCELoss as BCELoss, BCEWithLogitsLoss as BCEWithLogitsLoss, BatchNorm1d as BatchNorm1d,
    BatchNorm2d as BatchNorm2d, CELU as CELU, Conv1d as Conv1d, Conv2d as Conv2d,
    CosineEmbeddingLoss as CosineEmbeddingLoss, CosineSimilarity as CosineSimilarity,
    CrossEntropyLoss as CrossEntropyLoss, Dropout as Dropout, Dropout2d as Dropout2d, ELU as ELU,
    Embedding as Embedding, Flatten as Flatten, GELU as GELU, GLU as GLU, GaussianNLLLoss as GaussianNLLLoss,
    GroupNorm as GroupNorm, Hardshrink as Hardshrink, Hardsigmoid as Hardsigmoid, Hardswish as Hardswish,
    Hardtanh as Hardtanh, HingeEmbeddingLoss as HingeEmbeddingLoss, HuberLoss as HuberLoss, Identity as Identity,
    KLDivLoss as KLDivLoss, L1Loss as L1Loss, LayerNorm as LayerNorm, LeakyReLU as LeakyReLU, Linear as Linear,
    LogSigmoid as LogSigmoid, LogSoftmax as LogSoftmax, MSELoss as MSELoss, MarginRankingLoss as MarginRankingLoss,
    MaxPool1d as MaxPool1d, MaxPool2d as MaxPool2d, Mish as Mish, ModuleDict as ModuleDict,
    ModuleList as ModuleList, NLLLoss as NLLLoss, PReLU as PReLU, ParameterDict as ParameterDict,
    ParameterList as ParameterList, PoissonNLLLoss as PoissonNLLLoss, ReLU as ReLU, ReLU6 as ReLU6, SELU as SELU,
    Sequential as Sequential, SiLU as SiLU, Sigmoid as Sigmoid, SmoothL1Loss as SmoothL1Loss,
    SoftMarginLoss as SoftMarginLoss, Softmax as Softmax, Softmin as Softmin, Softplus as Softplus,
    Softshrink as Softshrink, Softsign as Softsign, Tanh as Tanh, Tanhshrink as Tanhshrink, Threshold as Threshold,
    TripletMarginLoss as TripletMarginLoss, Unflatten as Unflatten,
)
from .module import Module as Module
from .parameter import Parameter as Parameter
from .recurrent import (
    GRU as GRU, GRUCell as GRUCell, LSTM as LSTM, LSTMCell as LSTMCell, RNN as RNN, RNNBase as RNNBase,
    RNNCell as RNNCell, RNNCellBase as RNNCellBase,
)

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d",
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "CELU", "Conv1d", "Conv2d", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout2d", "ELU", "Embedding", "Flatten", "GELU", "GLU",
    "GRU", "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LSTM", "LSTMCell", "LayerNorm",
    "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d",
    "Mish", "Module", "ModuleDict", "ModuleList", "MultiheadAttention", "NLLLoss", "PReLU", "Parameter",
    "ParameterDict", "ParameterList", "PoissonNLLLoss", "RNN", "RNNBase", "RNNCell", "RNNCellBase", "ReLU", "ReLU6",
    "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmin", "Softplus",
    "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "TransformerEncoderLayer", "TripletMarginLoss",
    "Unflatten", "attention", "functional", "init", "parameter", "utils",
]
