"""Products and quantizers of MXFP8 against f64."""

import mxc
import torch
from mxc.torch import matmul, quantize
from torch_case import BF16, PLACE, Checks, random, values


class Products(Checks):
    def operands(self, m, n, k, batch=(), dtype=BF16):
        a, b = quantize(random(*batch, m, k, dtype=dtype)), quantize(random(*batch, n, k, dtype=dtype, seed=2))
        x, y = values(*a), values(*b)
        return (*a, *b), x @ y.mT, x.abs() @ y.abs().mT

    def test_shapes_and_types(self):
        for m, n, k in ((48, 40, 64), (1, 8, 32), (130, 72, 160), (5, 7, 33)):
            for dtype in (BF16, torch.float32, torch.float16):
                with self.subTest(m=m, n=n, k=k, dtype=dtype):
                    operands, exact, terms = self.operands(m, n, k)
                    self.assertNear(matmul(*operands, dtype=dtype), exact, terms, dtype)

    def test_formats_may_differ(self):
        a, b = quantize(random(32, 64), "e5m2"), quantize(random(24, 64, seed=2))
        x, y = values(*a), values(*b)
        self.assertNear(matmul(*a, *b, dtype=torch.float32), x @ y.mT, x.abs() @ y.abs().mT)

    def test_no_elements(self):
        for m, n, k in ((0, 8, 32), (8, 0, 32), (8, 8, 0)):
            operands, exact, terms = self.operands(m, n, k)
            self.assertNear(matmul(*operands, dtype=torch.float32), exact, terms)

    def test_epilogues(self):
        operands, exact, terms = self.operands(48, 40, 64)
        bias, residual = random(40, seed=3), random(48, 40, seed=4)
        functions = torch.nn.functional
        for name, function in (
            ("relu", functions.relu),
            ("gelu", functions.gelu),
            ("gelu_tanh", lambda x: functions.gelu(x, approximate="tanh")),
            ("silu", functions.silu),
            ("%two = arith.constant 2.0 : f32\n%y = arith.mulf %x, %two : f32", lambda x: 2 * x),
            (None, lambda x: x),
        ):
            for added in ({}, {"bias": bias}, {"residual": residual}, {"bias": bias, "residual": residual}):
                with self.subTest(activation=name, added=list(added)):
                    x = exact + (bias.double() if "bias" in added else 0)
                    expected = function(x) + (residual.double() if "residual" in added else 0)
                    found = matmul(*operands, activation=name, dtype=torch.float32, **added)
                    self.assertNear(found, expected, 4 * terms)

    def test_into_a_given_tensor(self):
        operands, exact, terms = self.operands(48, 40, 64)
        out = random(48, 40, dtype=torch.float32, seed=3)
        before = out.double()
        self.assertIs(matmul(*operands, out=out, accumulate=True), out)
        self.assertNear(out, before + exact, terms + before.abs())
        matmul(*operands, out=out)
        self.assertNear(out, exact, terms)

    def test_a_batch(self):
        for m, n in ((48, 40), (128, 128), (130, 72)):
            with self.subTest(m=m, n=n):
                operands, exact, terms = self.operands(m, n, 96, batch=(3,))
                bias = random(n, seed=3)
                self.assertNear(matmul(*operands, dtype=torch.float32), exact, terms)
                found = matmul(*operands, bias=bias, dtype=torch.float32)
                self.assertNear(found, exact + bias.double(), terms + bias.double().abs())

    def test_what_is_refused_says_why(self):
        operands, *_ = self.operands(48, 40, 64)
        a, sa, b, sb = operands
        (a2, sa2, *_), (_, _, b3, sb3) = self.operands(48, 40, 64, batch=(2,))[0], self.operands(48, 40, 64, batch=(3,))[0]
        for text, call in (
            ("accumulate: expected out=", lambda: matmul(*operands, accumulate=True)),
            ("a has 1 dimensions: expected 2 or 3", lambda: matmul(a[0], sa, b, sb)),
            ("a has 4 dimensions: expected 2 or 3", lambda: matmul(a[None, None], sa, b[None, None], sb)),
            ("b has 3 dimensions, and a 2: expected the same", lambda: matmul(a, sa, b[None], sb)),
            ("a is a batch of 2, and b of 3: expected the same", lambda: matmul(a2, sa2, b3, sb3)),
            ("activation: expected relu, gelu, gelu_tanh, silu, found swish", lambda: matmul(*operands, activation="swish")),
            ("a has rows of 32 elements, and b of 64", lambda: matmul(a[:, :32], sa, b, sb)),
            (r"bias of shape \(48,\): expected \(40,\)", lambda: matmul(*operands, bias=random(48))),
            (r"bias of shape \(1, 40\): expected \(40,\)", lambda: matmul(*operands, bias=random(1, 40))),
            (r"residual of shape \(40, 48\): expected \(48, 40\)", lambda: matmul(*operands, residual=random(40, 48))),
            (r"residual of shape \(1, 48, 40\): expected \(48, 40\)", lambda: matmul(*operands, residual=random(1, 48, 40))),
            (r"out of shape \(40, 48\): expected \(48, 40\)", lambda: matmul(*operands, out=torch.zeros(40, 48, device=PLACE))),
            ("out with strides", lambda: matmul(*operands, out=torch.zeros(40, 48, device=PLACE).mT)),
            ("dtype of a: expected .*found torch.bfloat16", lambda: matmul(random(48, 64), sa, b, sb)),
            ("argument 'sa': shape", lambda: matmul(a, sa[:256], b, sb)),
            ("compat = te determines the rounding", lambda: quantize(random(8, 32), rounding="floor", compat="te")),
        ):
            with self.subTest(text), self.assertRaisesRegex((mxc.Error, RuntimeError), text):
                call()

    def test_a_format_is_a_type_of_torch_too(self):
        x = random(8, 64)
        for dtype, name in ((torch.float8_e4m3fn, "e4m3"), (torch.float8_e5m2, "e5m2"), (torch.float4_e2m1fn_x2, "e2m1")):
            for call in (quantize, mxc.torch.quantize_column, mxc.torch.quantize_both):
                for found, expected in zip(call(x, dtype), call(x, name)):
                    self.assertTrue(torch.equal(found.view(torch.uint8), expected.view(torch.uint8)))
        with self.assertRaisesRegex(mxc.UsageError, "format: expected torch.float8_e4m3fn, .*, found torch.float16"):
            quantize(x, torch.float16)

    def test_presets(self):
        x = random(8, 64)
        x[0, 0] = float("inf")
        q, s = quantize(x, layout="dense", compat="te")
        self.assertEqual(s.view(torch.uint8)[0, 0].item(), 0xFE)
        q, s = quantize(x, layout="dense", compat="torchao")
        self.assertEqual(s.view(torch.uint8)[0, 0].item(), 0xFF)

    def test_an_activation_of_what_is_quantized(self):
        """What is exact has the bits of two steps; f32 rounded on the way those of a cast."""
        x = random(130, 96, dtype=torch.float32)
        for quantizer in (quantize, mxc.torch.quantize_column, mxc.torch.quantize_both):
            for given, activation, known in (
                (x.to(BF16), "relu", x.to(BF16).relu()),
                (x, mxc.sources.rounded_to("bf16"), x.to(BF16)),
                (x, mxc.sources.rounded_to("f16"), x.half()),
                (x, "%two = arith.constant 2.0 : f32\n %y = arith.mulf %x, %two : f32", 2 * x),
            ):
                with self.subTest(quantizer=quantizer.__name__, activation=activation):
                    for found, expected in zip(quantizer(given, activation=activation), quantizer(known)):
                        self.assertTrue(torch.equal(found.view(torch.uint8), expected.view(torch.uint8)))
        with self.assertRaisesRegex(mxc.UsageError, "activation: expected relu, gelu, gelu_tanh, silu, found swish"):
            quantize(x, activation="swish")

    def test_torch_checks_the_operators(self):
        operands, *_ = self.operands(48, 40, 64)
        out, operators = torch.zeros(48, 40, dtype=BF16, device=PLACE), torch.ops.mxc
        every = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        for operator, arguments in (
            (operators.matmul, operands),
            (operators.matmul_out, (*operands, out)),
            (operators.quantize, (random(48, 64),)),
            (operators.quantize_column, (random(48, 64),)),
            (operators.quantize_both, (random(3, 48, 64),)),
            (operators.dequantize, operands[:2]),
        ):
            with self.subTest(str(operator)):
                takes_codes = arguments[0].dtype != BF16  # torch compares no 8-bit floats before and after a call
                torch.library.opcheck(operator.default, arguments, test_utils=every[1:] if takes_codes else every)
