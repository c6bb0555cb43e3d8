"""MXLinear and convert: what layers keep, store and share; a model of transformers; CUDA graphs."""

import copy
import importlib.util
import io
import pathlib
import re
import unittest

import mxc
import torch
from mxc.torch import MXLinear, convert, layers, mlp
from torch_case import BF16, IS_GPU, PLACE, Checks, random, rounded, rounded_columns


class Layers(Checks):
    def layer(self):
        return MXLinear(64, 40, device=PLACE, dtype=BF16)

    def test_a_copy_is_kept_until_the_weight_changes(self):
        layer, x = self.layer(), random(32, 64)
        with torch.no_grad():
            layer(x)
            first = layer._quantized(layer.weight)
            layer(x)
            self.assertIs(layer._quantized(layer.weight), first)
            layer.weight.mul_(2)
            y = layer(x)
        xr, wr = rounded(x), rounded(layer.weight.detach())
        self.assertNear(y, xr @ wr.T + layer.bias.detach().double(), xr.abs() @ wr.abs().T + layer.bias.double().abs(), BF16)
        with torch.inference_mode():
            self.assertTrue(torch.equal(layer(x), y))

    def test_every_step_of_an_optimizer_is_seen(self):
        """Fused ones change weights without counting a version."""
        x = random(32, 64)
        for make in (
            lambda parameters: torch.optim.AdamW(parameters, lr=0.5, fused=True),
            lambda parameters: torch.optim.SGD(parameters, lr=0.5, fused=True),
            lambda parameters: torch.optim.AdamW(parameters, lr=0.5, foreach=True),
            lambda parameters: torch.optim.SGD(parameters, lr=0.5),
        ):
            layer = self.layer()
            optimizer = make(layer.parameters())
            for _ in range(2):
                for trains in (True, False):  # with gradients that a call of the layer makes, and with those of before
                    with self.subTest(str(optimizer), trains=trains), torch.no_grad():
                        before = layer(x)
                        if trains:
                            with torch.enable_grad():
                                layer(x).sum().backward()
                        optimizer.step()
                        known = MXLinear.of(layer)(x)
                        self.assertTrue(torch.equal(layer(x), known))
                        self.assertFalse(torch.equal(before, known))
                        with torch.enable_grad():
                            self.assertTrue(torch.equal(layer(x), known))

    def test_training_sees_every_write(self):
        layer, x = self.layer(), random(32, 64)
        torch.nn.init.zeros_(layer.bias)
        before = layer(x).detach()
        layer.weight.data.mul_(2)  # torch counts no version
        self.assertTrue(torch.equal(layer(x), 2 * before))

    def test_a_refit_under_inference_mode_is_seen(self):
        """Of a layer that was made there torch counts no versions; of another one it does."""
        x = random(32, 64)
        for made_there in (True, False):
            with torch.inference_mode(made_there):
                layer = self.layer()
            with torch.inference_mode():
                before = layer(x)
                for write in (lambda: layer.weight.copy_(random(40, 64, seed=3)), lambda: layer.load_state_dict(self.layer().state_dict())):
                    write()
                    after = layer(x)
                    self.assertFalse(torch.equal(after, before))
                    self.assertTrue(torch.equal(after, MXLinear.of(layer)(x)))
                    before = after

    def test_a_gather_of_fsdp_is_seen(self):
        """FSDP2 writes the same memory, preserves the version, and sets the parameter."""
        layer, x = self.layer(), random(32, 64)
        with torch.no_grad():
            layer.bias.zero_()
            before = layer(x)
            with torch.autograd._unsafe_preserve_version_counter(layer.weight):
                layer.weight.mul_(2)
            layer.weight = layer.weight
            self.assertTrue(torch.equal(layer(x), 2 * before))

    def test_backward_takes_the_weight_of_its_forward(self):
        layer, x = self.layer(), random(32, 64).requires_grad_()
        before = rounded_columns(layer.weight.detach())
        y = layer(x)
        with torch.no_grad():
            layer.weight.mul_(3)
        y.sum().backward()
        ones = torch.ones(32, 40, device=PLACE, dtype=torch.float64)
        self.assertNear(x.grad, ones @ before, ones @ before.abs(), BF16)

    def test_state_goes_round(self):
        layer, plain, x = self.layer(), torch.nn.Linear(64, 40, device=PLACE, dtype=BF16), random(32, 64)
        layer(x)
        stored = io.BytesIO()
        torch.save(layer.state_dict(), stored)
        stored.seek(0)
        plain.load_state_dict(torch.load(stored, weights_only=True))
        fresh = MXLinear(64, 40, device=PLACE, dtype=BF16)
        fresh(x)  # its copies are of other values
        fresh.load_state_dict(plain.state_dict())
        self.assertTrue(torch.equal(fresh(x), layer(x)))
        for duplicate in (copy.deepcopy(layer), MXLinear.of(plain)):
            self.assertTrue(torch.equal(duplicate(x), layer(x)))

    def model(self):
        torch.manual_seed(5)
        layers = [torch.nn.Linear(64, 96), torch.nn.GELU(), torch.nn.Linear(96, 64), torch.nn.LayerNorm(64), torch.nn.Linear(64, 32)]
        return torch.nn.Sequential(*layers).to(PLACE, BF16)

    def test_a_model_is_converted(self):
        model, x = self.model(), random(32, 64)
        exact, parameters = model(x), list(model.parameters())
        names = convert(model, lambda name, layer: layer.out_features >= 64)
        self.assertEqual(names, ["0", "2"])
        self.assertEqual([type(part) for part in (model[0], model[2], model[4])], [MXLinear, MXLinear, torch.nn.Linear])
        self.assertTrue(all(ours is theirs for ours, theirs in zip(model.parameters(), parameters)))
        error = (model(x) - exact).norm() / exact.norm()
        self.assertLess(error.item(), 0.1)
        self.assertGreater(error.item(), 0)

    def test_what_is_left_is_named(self):
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.lm_head, self.router = (torch.nn.Linear(64, 64) for _ in range(3))
                self.bilinear = torch.nn.modules.linear.NonDynamicallyQuantizableLinear(64, 64)
                self.experts = torch.nn.Parameter(torch.zeros(2, 64, 64))
                self.convolution = torch.nn.Conv1d(4, 4, 3)

        model = Model()
        names = convert(model)
        self.assertEqual(names, ["proj"])
        self.assertEqual(list(names.left), ["experts", "lm_head", "router", "bilinear"])
        self.assertEqual(names.left["lm_head"], "left out where no filter is given")
        self.assertEqual(convert(model, lambda name, layer: True), ["lm_head", "router"])
        with self.assertRaisesRegex(mxc.UsageError, "convert of a Linear alone: expected a model that holds it"):
            convert(torch.nn.Linear(64, 64))

    def test_the_layers_left_out_are_those_of_mxc_convert(self):
        source = (pathlib.Path(__file__).parents[2] / "runtime/checkpoint/NameSelection.cpp").read_text()
        self.assertEqual(re.findall(r'"(\*[^"]*)"', source[source.index("linearWeights") :]), ["*.weight", *layers.LEFT_OUT])

    def test_a_layer_says_how_it_computes(self):
        layer = MXLinear(64, 40, gradient_format="e5m2", recipe="blockwise", compat="deepseek")
        self.assertEqual(
            repr(layer),
            "MXLinear(in_features=64, out_features=40, bias=True, format=e4m3, gradient_format=e5m2, recipe=blockwise, compat=deepseek)",
        )

    def test_a_sharded_weight_is_refused(self):
        layer = self.layer()

        class Sharded(torch.Tensor):
            device_mesh = object()

        with self.assertRaisesRegex(mxc.UsageError, "weight is a DTensor: expected one that is whole .* parallelize_module"):
            torch.func.functional_call(layer, {"weight": layer.weight.detach().as_subclass(Sharded)}, (random(8, 64),))

    def test_a_model_for_inference(self):
        model, x = self.model(), random(32, 64)
        trained = copy.deepcopy(model)
        convert(trained)
        names = convert(model, inference=True)
        self.assertEqual(names, ["0", "2", "4"])
        with torch.no_grad():
            expected = trained(x)
            self.assertTrue(torch.equal(model(x), expected))
            model.to(BF16)
            self.assertTrue(torch.equal(model(x), expected))
        self.assertEqual(model[0].weight_codes.dtype, torch.float8_e4m3fn)
        fresh = self.model()
        with torch.no_grad():
            fresh[0].weight.zero_()
        convert(fresh, inference=True)
        fresh.load_state_dict(model.state_dict())
        with torch.no_grad():
            self.assertTrue(torch.equal(fresh(x), expected))

    def test_shared_layers_and_weights(self):
        class Tied(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding, self.head = torch.nn.Embedding(40, 64), torch.nn.Linear(64, 40, bias=False)
                self.head.weight = self.embedding.weight
                self.first = self.second = torch.nn.Linear(64, 64)

        model = Tied()
        self.assertEqual(convert(model), ["head", "first"])
        self.assertIs(model.head.weight, model.embedding.weight)
        self.assertIs(model.first, model.second)
        self.assertEqual(convert(Tied().to(PLACE), inference=True), ["first"])

    def test_compiled(self):
        layer, x = self.layer(), random(32, 64).requires_grad_()
        backend = "inductor" if IS_GPU else "aot_eager"
        compiled = torch.compile(layer, fullgraph=True, backend=backend)
        y = layer(x)
        y.sum().backward()
        expected, x.grad = (y.detach(), x.grad, layer.weight.grad.clone()), None
        layer.weight.grad = None
        for _ in range(2):
            x.grad = layer.weight.grad = None
            y = compiled(x)
            y.sum().backward()
            for found, known in zip((y.detach(), x.grad, layer.weight.grad), expected):
                self.assertTrue(torch.equal(found, known))
        with torch.no_grad():
            layer.weight.mul_(2)
        self.assertTrue(torch.equal(compiled(x), layer(x)))

    def test_compiled_with_what_is_beside_it(self):
        """Under torch.compile an f32 input is cast, and in eager mode rounded by the quantizer: to the same bits."""
        layer, up, down = (MXLinear(*sizes, bias=False, device=PLACE) for sizes in ((64, 40), (40, 64), (64, 40)))

        def call(x, residual):
            y = layer(x, residual)
            return mlp(y, up, down, "silu", residual=y)

        found = []
        for function in (call, torch.compile(call, fullgraph=True, backend="inductor" if IS_GPU else "aot_eager")):
            x, residual = (random(32, n, dtype=torch.float32, seed=n).requires_grad_() for n in (64, 40))
            with torch.autocast(PLACE, BF16):
                y = function(x, residual)
            y.square().sum().backward()
            found.append([y.detach(), x.grad, residual.grad, *(layer.weight.grad for layer in (layer, up, down))])
            for each in (layer, up, down):
                each.weight.grad = None
        for eager, compiled in zip(*found):
            self.assertEqual(eager.dtype, compiled.dtype)
            self.assertTrue(torch.equal(eager, compiled))


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
class Transformers(Checks):
    """A model of transformers with random weights."""

    def model(self):
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(0)
        width = 512 if IS_GPU else 64
        config = LlamaConfig(
            vocab_size=128,
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=4 if IS_GPU else 1,
            num_attention_heads=2,
            num_key_value_heads=1,
        )
        return LlamaForCausalLM(config).to(PLACE, BF16)

    def tokens(self):
        generator = torch.Generator().manual_seed(1)
        return torch.randint(0, 128, (2, 16), generator=generator).to(PLACE)

    @staticmethod
    def is_inner(name, layer):
        return name != "lm_head"

    @staticmethod
    def gradients(model):
        return torch.cat([parameter.grad.double().flatten() for parameter in model.parameters()])

    def test_training(self):
        model, tokens = self.model(), self.tokens()
        exact = model(tokens, labels=tokens)
        exact.loss.backward()
        expected = self.gradients(model)
        model.zero_grad()
        names = convert(model, self.is_inner)
        self.assertEqual(len(names), 7 * len(model.model.layers))
        self.assertTrue(all(type(model.get_submodule(name)) is MXLinear for name in names))
        self.assertIs(type(model.lm_head), torch.nn.Linear)
        found = model(tokens, labels=tokens)
        found.loss.backward()
        self.assertLess(abs(found.loss.item() / exact.loss.item() - 1), 0.01)
        self.assertFalse(torch.equal(found.logits, exact.logits))
        error = (self.gradients(model) - expected).norm() / expected.norm()
        self.assertLess(error.item(), 0.15)
        self.assertGreater(error.item(), 0)
        before = found.loss.item()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        optimizer.step()
        self.assertLess(model(tokens, labels=tokens).loss.item(), before)

    def test_inference_with_mxfp8_weights_alone(self):
        model, tokens = self.model(), self.tokens()
        trained = copy.deepcopy(model)
        convert(trained, self.is_inner)
        bytes_before = sum(p.nbytes for p in model.model.layers.parameters())
        convert(model, self.is_inner, inference=True)
        layers = model.model.layers
        self.assertLess(sum(t.nbytes for t in (*layers.parameters(), *layers.buffers())), 0.6 * bytes_before)
        with torch.no_grad():
            self.assertTrue(torch.equal(model(tokens).logits, trained(tokens).logits))
            generated = model.generate(tokens[:, :4], max_new_tokens=2, do_sample=False, pad_token_id=0)
        self.assertEqual(generated.shape, (2, 6))


@unittest.skipUnless(IS_GPU, "needs a GPU")
class Graphs(Checks):
    def test_a_training_step_in_a_cuda_graph(self):
        for recipe in ("mxfp8", "blockwise") if torch.cuda.get_device_capability()[0] == 9 else ("mxfp8",):
            with self.subTest(recipe=recipe):
                self.check_a_training_step(recipe)

    def check_a_training_step(self, recipe):
        """Weights of f32 under autocast, two layers with all that lies beside them: after four steps they have the bits of four eager ones."""
        layers = torch.nn.Sequential(*(MXLinear(*sizes, bias=False, device="cuda", recipe=recipe) for sizes in ((256, 128), (128, 256))))
        x = random(256, 256, dtype=torch.float32).requires_grad_()
        reference = copy.deepcopy(layers)

        def step(layers, optimizer):
            optimizer.zero_grad(set_to_none=False)
            with torch.autocast("cuda", BF16):
                y = mlp(x, *layers, residual=x)
            y.square().mean().backward()
            optimizer.step()

        optimizer, steps = (torch.optim.SGD(model.parameters(), lr=0.01) for model in (layers, reference))
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step(layers, optimizer)  # makes the gradients
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(layers, optimizer)
        for _ in range(3):
            graph.replay()
        for _ in range(4):
            step(reference, steps)
        torch.cuda.synchronize()
        for ours, known in zip(layers.parameters(), reference.parameters()):
            self.assertTrue(torch.equal(ours, known))
        with torch.no_grad():  # nor may a copy be kept over a replay
            before = layers[0](x)
            graph.replay()
            torch.cuda.synchronize()
            self.assertTrue(torch.equal(layers[0](x), MXLinear.of(layers[0], recipe=recipe)(x)))
            self.assertFalse(torch.equal(layers[0](x), before))

    def test_inference_in_a_cuda_graph(self):
        """The weight's copies are kept, so the graph multiplies alone; what the input holds at each replay counts."""
        trained = MXLinear(256, 128, device="cuda", dtype=BF16)
        served = torch.nn.Sequential(torch.nn.Linear(256, 128)).to("cuda", BF16)
        convert(served, inference=True)
        for layer in (trained, served):
            x = random(64, 256)
            with torch.no_grad():
                layer(x)  # compiles, and keeps copies
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    y = layer(x)
                for seed in (5, 6):
                    x.copy_(random(64, 256, seed=seed))
                    graph.replay()
                    torch.cuda.synchronize()
                    self.assertTrue(torch.equal(y, layer(x)))
