"""Elements of 4 and 6 bits against ml_dtypes: every scale with every code, every bf16 maximum, products of whole numbers.

  narrow_elements.py EXAMPLES FOLDER CHIP
"""
import json
import pathlib
import struct
import subprocess
import sys

import ml_dtypes
import numpy as np

examples, folder, chip = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)
F32 = np.float32
TYPES = {np.dtype(F32): "F32", np.dtype(ml_dtypes.bfloat16): "BF16", np.dtype(np.uint8): "U8", np.dtype(np.int64): "I64"}


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = np.ascontiguousarray(tensor).tobytes()
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    return {name: np.frombuffer(data[slice(*of["data_offsets"])], np.uint8) for name, of in header.items() if name != "__metadata__"}


def run(kernel, inputs):
    """The outputs' bytes. Bytes of codes go in as U8 [M, K/2], of 6 bits as [M, 3K/4]."""
    write(folder / "in", inputs)
    subprocess.run(
        ["mxc", "run", kernel, f"--device=simulator:{chip}", "--input", folder / "in", "--output", folder / "out", "--verify"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return read(folder / "out")


def unpacked(data):
    return np.stack([data & 15, data >> 4], axis=-1).reshape(-1)


def packed(codes):
    codes = codes.reshape(-1, 2)
    return (codes[:, 0] | codes[:, 1] << 4).astype(np.uint8)


def values(codes):
    return codes.astype(np.uint8).view(ml_dtypes.float4_e2m1fn).astype(F32)


def e2m1(x):
    return np.clip(x, F32(-6), F32(6)).astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15


def six_unpacked(data):
    runs = data.reshape(-1, 3).astype(np.uint32)
    words = runs[:, 0] | runs[:, 1] << 8 | runs[:, 2] << 16
    return (words[:, None] >> np.arange(0, 24, 6, dtype=np.uint32) & 63).astype(np.uint8).reshape(-1)


def six_packed(codes):
    words = (codes.reshape(-1, 4).astype(np.uint32) << np.arange(0, 24, 6, dtype=np.uint32)).sum(axis=1, dtype=np.uint32)
    return np.stack([words, words >> 8, words >> 16], axis=-1).astype(np.uint8).reshape(-1)


SIX = {"f6E2M3FN": (ml_dtypes.float6_e2m3fn, 7.5), "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 28)}  # and the largest number


def tiled(scales):
    """From [rows, blocks] to tiles of 128 x 4."""
    rows, blocks = -(-scales.shape[0] // 128) * 128, -(-scales.shape[1] // 4) * 4
    full = np.zeros((rows, blocks), np.uint8)
    full[: scales.shape[0], : scales.shape[1]] = scales
    return full.reshape(rows // 128, 4, 32, blocks // 4, 4).transpose(0, 3, 2, 1, 4).reshape(-1)


def untiled(data, rows, blocks):
    full = data.reshape(-(-rows // 128), -(-blocks // 4), 32, 4, 4).transpose(0, 3, 2, 1, 4)
    return full.reshape(full.shape[0] * 128, -1)[:rows, :blocks]


def same(what, found, expected):
    found, expected = np.asarray(found).reshape(-1), np.asarray(expected).reshape(-1)
    wrong = np.nonzero(found != expected)[0]
    if len(found) != len(expected) or len(wrong):
        place = wrong[0] if len(wrong) else 0
        sys.exit(f"{chip}: {what}: {len(wrong)} of {len(expected)} wrong, first at {place}: {found[place]}, expected {expected[place]}")


def kernel(name, text):
    path = folder / f"{name}.mlir"
    path.write_text(text)
    return path


def dequantize():
    codes, scales = np.tile(np.arange(16, dtype=np.uint8), (256, 1)), np.arange(256, dtype=np.uint8).reshape(256, 1)
    q = packed(codes).reshape(256, 8)
    mx = kernel("mx", "mx.kernel @k(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>, %y: memref<?x?xf32>) {"
                "mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) outs(%y : memref<?x?xf32>) }")
    with np.errstate(over="ignore"):
        expected = values(codes) * scales.view(ml_dtypes.float8_e8m0fnu).astype(F32)
    found = run(mx, {"q": q, "s": scales})["y"].view(F32).reshape(256, 16)
    same("mxfp4, NaN", np.isnan(found), np.isnan(expected))
    same("mxfp4, every scale and code", found[~np.isnan(found)].view(np.uint32), expected[~np.isnan(expected)].view(np.uint32))
    nv = kernel("nv", "mx.kernel @k(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>, %t: memref<1xf32>, %y: memref<?x?xf32>) {"
                "mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) tensor_scale(%t : memref<1xf32>) "
                "outs(%y : memref<?x?xf32>) }")
    for tensor_scale in (F32(1), F32(0.0123), F32(3e-39)):
        inputs = {"q": q[:127], "s": scales[:127], "t": np.array([tensor_scale])}
        expected = values(codes[:127]) * scales[:127].view(ml_dtypes.float8_e4m3fn).astype(F32) * tensor_scale
        same("nvfp4, every scale and code", run(nv, inputs)["y"].view(np.uint32), expected.view(np.uint32))


def maxima(block):
    """bf16 [510, 64 * block]: blocks whose largest magnitude is each finite bf16 in turn."""
    amax = np.arange(0x7F80, dtype=np.int32)
    below = np.arange(block, dtype=np.int32) * 11
    bits = np.maximum(amax[:, None] - below, 0) | np.where(np.arange(block) % 3, 0x8000, 0)
    return bits.astype(np.uint16).view(ml_dtypes.bfloat16).reshape(510, 64 * block), amax.astype(np.uint16).view(ml_dtypes.bfloat16).astype(F32)


def random_bytes(seed, offset, rows, columns):
    """Philox4x32-10 of (offset, column / 16, row), a byte an element."""
    c = np.zeros((4, rows, columns // 16), np.uint64)
    c[0], c[1], c[2], c[3] = offset % 2**32, offset >> 32, np.arange(columns // 16), np.arange(rows)[:, None]
    key = [seed % 2**32, seed >> 32]
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
        c = np.stack([(second >> high) ^ c[1] ^ np.uint64(key[0]), second & low, (first >> high) ^ c[3] ^ np.uint64(key[1]), first & low])
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    words = np.moveaxis(c, 0, -1).astype(np.uint32)[..., None]
    return (words >> np.array([0, 16, 8, 24], np.uint32) & 255).reshape(rows, columns)


def stochastic(scaled, random):
    """e2m1's codes, up or down by the random bytes."""
    grid = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    magnitude = np.minimum(np.abs(scaled.astype(np.float64)), 6)
    code = np.searchsorted(grid, magnitude, side="right") - 1
    step = np.diff(grid, append=8)
    above = (magnitude - grid[code]) / step[code]
    return ((code + (above + random / 256 >= 1)) | np.where(np.signbit(scaled), 8, 0)).astype(np.uint8)


def nvfp4(x, amax, tensor_scale, factor=1):
    """Scales and scaled elements of blocks of 16."""
    with np.errstate(over="ignore", divide="ignore"):
        s = np.minimum(amax / F32(6) / tensor_scale * F32(factor), F32(448)).astype(ml_dtypes.float8_e4m3fn)
        multiplier = np.minimum(F32(1) / (s.astype(F32) * tensor_scale), np.finfo(F32).max)
        return s, x.astype(F32).reshape(-1, 16) * multiplier[:, None]


def quantize_nvfp4_stochastic():
    x, amax = maxima(16)
    seed, offset = 0x123456789ABCDEF0, 0x76543210FEDCBA98
    for tensor_scale in (F32(1), F32(0.37)):
        inputs = {"x": x, "tensor_scale": np.array([tensor_scale]), "random": np.array([seed, offset])}
        out = run(examples / "quantize_nvfp4_stochastic.mlir", inputs)
        s, scaled = nvfp4(x, amax, tensor_scale)
        same("stochastic, scales", untiled(out["s"], 510, 64), s.view(np.uint8))
        same("stochastic, codes", unpacked(out["q"]), stochastic(scaled, random_bytes(seed, offset, *x.shape).reshape(-1, 16)))


def hadamard(x):
    """Every 16 elements times the matrix: sums and differences of elements 1, 2, 4 and 8 apart, rounded to bf16."""
    signs = np.array([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1], F32)
    t = x.astype(F32).reshape(-1, 16) * (signs / F32(4))
    for distance in (1, 2, 4, 8):
        pairs = t.reshape(-1, 8 // distance, 2, distance)
        t = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2).reshape(-1, 16)
    return t.astype(ml_dtypes.bfloat16)


def quantize_nvfp4_hadamard():
    random = np.random.default_rng(3)
    x = (random.normal(size=(510, 1024)) * 2.0 ** random.integers(-12, 12, (510, 1024))).astype(ml_dtypes.bfloat16)
    y = hadamard(x)
    out = run(examples / "quantize_nvfp4_hadamard.mlir", {"x": x, "tensor_scale": np.array([F32(0.37)])})
    s, scaled = nvfp4(y, np.abs(y.astype(F32)).max(axis=1), F32(0.37))
    same("hadamard, scales", untiled(out["s"], 510, 64), s.view(np.uint8))
    same("hadamard, codes", unpacked(out["q"]), e2m1(scaled))


def quantize_nvfp4():
    x, amax = maxima(16)
    for tensor_scale in (F32(1), F32(0.37), F32(1 / 2688), F32(1.9999999), F32(1e-20)):
        out = run(examples / "quantize_nvfp4.mlir", {"x": x, "tensor_scale": np.array([tensor_scale])})
        s, scaled = nvfp4(x, amax, tensor_scale)
        codes = e2m1(scaled)
        same("quantize_nvfp4, scales", untiled(out["s"], 510, 64), s.view(np.uint8))
        same("quantize_nvfp4, codes", unpacked(out["q"]), codes)


def mx_scales(x, amax, largest):
    """The scales of blocks of 32, and the elements under them."""
    exponent = np.ceil(np.log2(np.where(amax > 0, amax, 1).astype(np.float64) / largest)).astype(int)  # of 8 bits: exact enough
    byte = np.where(amax > 0, np.maximum(exponent + 127, 0), 0).astype(np.uint8)
    return byte, np.ldexp(x.astype(np.float64).reshape(-1, 32), 127 - byte.astype(int)[:, None]).astype(F32)


def quantize_mxfp4():
    x, amax = maxima(32)
    out = run(examples / "quantize_mxfp4.mlir", {"x": x})
    byte, scaled = mx_scales(x, amax, 6)
    same("quantize_mxfp4, scales", untiled(out["s"], 510, 64), byte)
    same("quantize_mxfp4, codes", unpacked(out["q"]), e2m1(scaled))


def six_bits():
    x, amax = maxima(32)
    example = (examples / "quantize_mxfp6.mlir").read_text()
    codes, scales = np.tile(np.arange(64, dtype=np.uint8), (256, 1)), np.arange(256, dtype=np.uint8).reshape(256, 1)
    for name, (of, largest) in SIX.items():
        out = run(kernel(name, example.replace("f6E2M3FN", name)), {"x": x})
        byte, scaled = mx_scales(x, amax, largest)
        expected = np.clip(scaled, F32(-largest), F32(largest)).astype(of).view(np.uint8) & 63
        same(f"{name}, scales", untiled(out["s"], 510, 64), byte)
        same(f"{name}, codes", six_unpacked(out["q"]), expected)
        back = kernel(f"back_{name}", f"mx.kernel @k(%q: memref<?x?x{name}>, %s: memref<?x?xf8E8M0FNU>, %y: memref<?x?xf32>) {{"
                      f"mx.dequantize ins(%q, %s : memref<?x?x{name}>, memref<?x?xf8E8M0FNU>) outs(%y : memref<?x?xf32>) }}")
        with np.errstate(over="ignore"):
            expected = codes.view(of).astype(F32) * scales.view(ml_dtypes.float8_e8m0fnu).astype(F32)
        found = run(back, {"q": six_packed(codes).reshape(256, 48), "s": np.repeat(scales, 2, axis=1)})["y"].view(F32).reshape(256, 64)
        same(f"{name}, NaN", np.isnan(found), np.isnan(expected))
        same(f"{name}, every scale and code", found[~np.isnan(found)].view(np.uint32), expected[~np.isnan(expected)].view(np.uint32))


def matmul(name, block, scale):
    random = np.random.default_rng(7)
    m, n, k = 75, 40, 416
    a, b = random.integers(0, 16, (m, k), np.uint8), random.integers(0, 16, (n, k), np.uint8)
    sa, sb = (random.choice(scale, (rows, k // block)).astype(np.uint8) for rows in (m, n))
    of = ml_dtypes.float8_e8m0fnu if block == 32 else ml_dtypes.float8_e4m3fn

    def wide(codes, scales):
        return values(codes).astype(np.float64) * np.repeat(scales.view(of).astype(np.float64), block, axis=1)

    alpha = F32(0.5)
    inputs = {"a": packed(a).reshape(m, k // 2), "sa": tiled(sa), "b": packed(b).reshape(n, k // 2), "sb": tiled(sb), "alpha": np.array([alpha])}
    out = run(examples / f"{name}.mlir", inputs)
    expected = (0.5 * wide(a, sa) @ wide(b, sb).T).astype(F32).astype(ml_dtypes.bfloat16)
    same(name, out["c"].view(np.uint16), expected.view(np.uint16))


dequantize()
quantize_nvfp4()
quantize_nvfp4_stochastic()
quantize_nvfp4_hadamard()
quantize_mxfp4()
six_bits()
if chip != "sm_120a":
    matmul("matmul_mxfp4", 32, [126, 127, 128])
    matmul("matmul_nvfp4", 16, [0x30, 0x38, 0x3C, 0x40])  # 0.5, 1, 1.5, 2
print("OK")
