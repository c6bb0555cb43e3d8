"""DeepGEMM's products, from a shared library that whoever measures builds. MXC_DEEPGEMM names it; it has, in C:

  int deepgemmVariants(int grouped);    how many ways it has to make a product, which are raced apart; grouped: 1 for rows in groups
  int deepgemm(int variant, const void *a, const float *scalesA, const void *b, const float *scalesB, void *d, int m, int n, int k,
               void *stream);
  int deepgemmGrouped(int variant, const void *a, const float *scalesA, const void *b, const float *scalesB, void *d, const int *layout,
                      int m, int n, int k, int groups, void *stream);

d [m, n] in bf16 = a [m, k] b [n, k]^T of e4m3. scalesA [k / 128, m] and scalesB [n / 128, k / 128] are f32, of blocks of 1x128 and 128x128.
Rows in groups begin at multiples of 128: b and scalesB have a leading dimension of groups, layout [m] has each row's group. All is in device
memory, contiguous; a call launches on the stream and returns 0, or an error of its own: another variant, a shape that it refuses.
"""

import ctypes
import os

import race


def _library():
    path = os.environ.get("MXC_DEEPGEMM")
    if not path:
        raise RuntimeError("MXC_DEEPGEMM names no library (tools/peers/deepgemm.py has its interface)")
    library = ctypes.CDLL(path)
    library.deepgemm.argtypes = [ctypes.c_int] + [ctypes.c_void_p] * 5 + [ctypes.c_int] * 3 + [ctypes.c_void_p]
    library.deepgemmGrouped.argtypes = [ctypes.c_int] + [ctypes.c_void_p] * 6 + [ctypes.c_int] * 4 + [ctypes.c_void_p]
    library.deepgemmVariants.argtypes = [ctypes.c_int]
    return library


class _Absent(race.Peer):
    def __init__(self, reason):
        super().__init__("DeepGEMM", [], None)
        self.reason = reason

    def available(self):
        return self.reason


def peers(arguments_of, is_grouped=False):
    """One for each of the library's variants; arguments_of(tensors, i): the tensors and sizes of launch number i."""
    try:
        library = _library()
        function = library.deepgemmGrouped if is_grouped else library.deepgemm
        variants = library.deepgemmVariants(int(is_grouped))
    except (RuntimeError, OSError, AttributeError) as error:
        return [_Absent(str(error))]

    def launcher(variant):
        def make(tensors):
            import torch

            def launch(i):
                given, sizes = arguments_of(tensors, i)
                error = function(variant, *(t.data_ptr() for t in given), *sizes, torch.cuda.current_stream().cuda_stream)
                if error:
                    raise RuntimeError(f"DeepGEMM's variant {variant} refuses {'x'.join(map(str, sizes))}: {error}")

            return launch

        return make

    return [race.Peer(f"DeepGEMM, variant {variant}", ["torch"], launcher(variant)) for variant in range(variants)]
