"""Quantized copies of a layer's weights, kept from call to call where nothing trains.

torch's counter of versions does not see every write: fused optimizers leave it as it is, and so do graphs that are replayed and
writes through .data; tensors that were made under torch.inference_mode have none. So whatever may be followed by a step makes its copies anew, and forgets those that were kept."""

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

_steps = 0


def _count(*_):
    global _steps
    _steps += 1


register_optimizer_step_post_hook(_count)  # of every optimizer


class KeptCopies:
    """Of one layer, by the weights' names."""

    def __init__(self):
        self._kept, self._is_captured = {}, False

    def __reduce__(self):  # copies and pickles of a layer make their own
        return KeptCopies, ()

    def forget(self, name):
        self._kept.pop(name, None)

    def before_training(self, name, weight):
        """Of each call after which the weight may change."""
        if not torch.compiler.is_compiling():
            self.forget(name)
            self._is_captured |= weight.is_cuda and torch.cuda.is_current_stream_capturing()  # replays change it

    def of(self, name, weight, rule, make):
        """What `make` returns, or returned for the same weight and rule. Under torch.compile nothing is kept."""
        if torch.is_grad_enabled():
            self.before_training(name, weight)
            return make()
        if torch.compiler.is_compiling() or self._is_captured or weight.is_inference():  # torch counts no version of an inference tensor
            return make()
        key = (weight.data_ptr(), weight._version, _steps, weight.dtype, weight.device, rule)
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = self._kept[name] = key, make()
        return kept[1]
