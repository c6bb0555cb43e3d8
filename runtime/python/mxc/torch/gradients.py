"""Gradients that are not made: whoever asks for one gets an error, never zeros or None."""

import functools

import torch

from .._errors import UsageError


class Reverse(torch.autograd.Function):
    """A function with gradients in reverse. torch.func.vmap takes its launches one by one."""

    generate_vmap_rule = True

    @classmethod
    def of(cls, *arguments):
        """Its results; asked for derivatives in forward mode it says that it has none."""
        if torch.compiler.is_compiling():  # where torch takes no function that has an answer
            return cls.apply(*arguments)
        return _refusing_forward_mode(cls).apply(*arguments)


@functools.lru_cache(maxsize=None)
def _refusing_forward_mode(function):
    def jvp(ctx, *_):
        raise UsageError("mxc: torch.func.jvp (forward mode) of mxc.torch: expected gradients in reverse, torch.func.vjp or backward")

    return type(function.__name__, (function,), {"jvp": staticmethod(jvp)})


class _Results(Reverse):
    """An operator's results that require gradients as its arguments do, and have none."""

    @staticmethod
    def forward(operator, *arguments):
        results = operator(*arguments)
        return tuple(results) if isinstance(results, list) else results

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.name = inputs[0].name().replace("::", ".torch.")

    @staticmethod
    def backward(ctx, *_):
        raise UsageError(
            f"mxc: {ctx.name} has no gradient, and one is asked for: expected torch.no_grad() or tensors that are detached; linear, "
            "MXLinear, grouped_mm and MoE have gradients"
        )


def require_gradients(*tensors):
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def undifferentiated(operator, *arguments):
    """The operator's results for arguments some of which require gradients: asking for one is an error."""
    return _Results.of(operator, *arguments)


class _Gradients(Reverse):
    @staticmethod
    def forward(compute, anchor, *tensors):
        return compute(*tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, *_):
        raise UsageError(
            "mxc: the gradient of a layer's gradients (double backward) is asked for, and is not made: expected gradients without "
            "create_graph=True, or torch.nn.Linear in layers that need it"
        )


def once(compute, anchor, *tensors):
    """compute(*tensors), the gradients that a layer's backward returns. `anchor` is an output of its forward: a gradient of these gradients
    passes through it, and so ends in an error, whatever else it passes through."""
    if not torch.is_grad_enabled() or torch.compiler.is_compiling():
        return compute(*tensors)
    return _Gradients.of(compute, anchor, *tensors)
