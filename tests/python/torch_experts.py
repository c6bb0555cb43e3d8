#!/usr/bin/env python3
"""mxc.torch's mixture of experts against f64, on the GPU where there is one, else on a simulated chip.

  torch_experts.py [--device cuda|sm_90a|sm_100a] [unittest's arguments]"""
import copy
import unittest

import mxc
import torch
from mxc.torch import MoE, combine, expert_rows, grouped_mm, quantize, quantize_column, quantize_groups, weight_copies
from mxc.torch import experts, moe
from torch_blockwise import BlockwiseChecks
from torch_case import BF16, IS_GPU, PLACE, random, rounded, rounded_columns


def integers(values):
    return torch.tensor(values, dtype=torch.int32, device=PLACE)


def relative(found, expected):
    return ((found.double() - expected.double()).norm() / expected.double().norm()).item()


class Places(unittest.TestCase):
    def test_choices_in_the_order_of_experts(self):
        indices = integers([[2, 0], [2, -1], [0, -1], [2, 1]])
        ends, index, rows = expert_rows(indices, 4)
        self.assertEqual(ends.tolist(), [2, 129, 259, 256 + 128])
        self.assertEqual(rows.tolist(), [[256, 0], [257, -1], [1, -1], [258, 128]])
        self.assertEqual(index.shape, (moe.capacity(8, 4),))
        taken = {row: index[row].item() for row in range(len(index)) if index[row] >= 0}
        self.assertEqual(taken, {0: 0, 1: 2, 128: 3, 256: 0, 257: 1, 258: 3})

    @unittest.skipIf(IS_GPU, "a GPU says so by a fault, after which its process has no GPU")
    def test_a_choice_that_is_no_expert(self):
        for wrong in (4, 5, -2):
            indices, weights = integers([[2, 0], [2, wrong]]), random(2, 2)
            for call in (lambda: expert_rows(indices, 4), lambda: MoE(4, 128, 128, dtype=BF16)(random(2, 128), indices, weights)):
                with self.assertRaisesRegex(RuntimeError, r"indices from .*: expected an expert's, 0 to 3, or -1 for no choice"):
                    call()
            # What a GPU does, which is not asked: it counts beyond its counters.
            chosen = indices.reshape(-1).long()
            with self.assertRaisesRegex(RuntimeError, "out of bounds"):
                moe._places(torch.where(chosen == -1, 4, chosen + (chosen >= 4)), 4, 1)

    def test_random_choices_fit(self):
        generator = torch.Generator().manual_seed(3)
        for tokens, count, groups in ((1, 1, 1), (300, 2, 3), (64, 8, 128), (0, 2, 4)):
            indices = torch.randint(-1, groups, (tokens, count), generator=generator).to(PLACE)
            ends, index, rows = expert_rows(indices, groups)
            chosen = indices.flatten().tolist()
            begin = 0
            for group in range(groups):
                begin = (begin + 127) // 128 * 128
                own = [i for i, choice in enumerate(chosen) if choice == group]
                self.assertEqual(rows.flatten()[own].tolist(), list(range(begin, begin + len(own))))
                self.assertEqual(index[begin : begin + len(own)].tolist(), [i // count for i in own])
                begin += len(own)
                self.assertEqual(ends[group].item(), begin)
            self.assertLessEqual(begin, index.shape[0])
            compact, index, _ = expert_rows(indices, groups, align=1)
            self.assertEqual(compact.tolist(), [sum(0 <= choice <= group for choice in chosen) for group in range(groups)])
            self.assertEqual(index.shape, (tokens * count,))

    def test_groups_side_by_side_are_padded(self):
        ends, index = moe._padded(integers([3, 3, 5]), 7)
        self.assertEqual(ends.tolist(), [3, 128, 130])
        self.assertEqual([index[i].item() for i in (0, 2, 3, 128, 129, 130)], [0, 2, -1, 3, 4, -1])


class Kernels(unittest.TestCase):
    def test_combine_and_its_gradients(self):
        h, weights = random(40, 72).requires_grad_(), random(9, 3, dtype=torch.float32, seed=2).requires_grad_()
        rows = torch.randint(-1, 40, (9, 3), generator=torch.Generator().manual_seed(1)).int().to(PLACE)
        there = (rows >= 0).double()
        parts = h.detach().double()[rows.clamp(min=0).long()] * there.unsqueeze(-1)
        expected = (weights.detach().double().unsqueeze(-1) * parts).sum(1)
        y = combine(h, rows, weights, torch.float32)
        self.assertLess((y.double() - expected).abs().max().item(), 1e-5)
        dy = random(9, 72, dtype=torch.float32, seed=4)
        y.backward(dy)
        self.assertLess((weights.grad.double() - (parts * dy.double().unsqueeze(1)).sum(-1)).abs().max().item(), 1e-4)
        dh = torch.zeros(40, 72, dtype=torch.float64, device=PLACE)
        of_rows = (weights.detach().double() * there).unsqueeze(-1) * dy.double().unsqueeze(1)
        dh.index_add_(0, rows.clamp(min=0).flatten().long(), of_rows.flatten(0, 1))
        self.assertLess(relative(h.grad, dh), 2.0**-8)

    def test_a_copy_of_weights_is_each_matrix_copy(self):
        for n in (256, 72):
            weight = random(3, n, 160)
            q, s, qt, st = weight_copies(weight)
            scales = s.view(torch.uint8).view(3, -1), st.view(torch.uint8).view(3, -1)
            for group in range(3):
                for made, (codes, tiles) in (((q, scales[0]), quantize(weight[group])), ((qt, scales[1]), quantize_column(weight[group]))):
                    self.assertTrue(torch.equal(made[0][group].view(torch.uint8), codes.view(torch.uint8)))
                    self.assertTrue(torch.equal(made[1][group], tiles.view(torch.uint8)))

    def test_what_is_refused_says_why(self):
        x, weight, ends = random(8, 64), random(2, 32, 64), integers([3, 8])
        for text, call in (
            ("align: expected 1 or 128, found 2", lambda: grouped_mm(x, weight, ends, align=2)),
            ("b has 2 groups, and ends 1: expected the same", lambda: grouped_mm(x, weight, ends[:1])),
            ("a has rows of 32 elements, and b of 64", lambda: grouped_mm(x[:, :32], weight, ends)),
            ("index: rows of x by index have no gradient", lambda: grouped_mm(x, weight.requires_grad_(), ends, index=ends)),
            (r"weights of shape \(8, 1\): expected \(8, 2\)", lambda: combine(x, integers([[0, 1]] * 8), random(8, 1, dtype=torch.float32))),
        ):
            with self.subTest(text), self.assertRaisesRegex((mxc.Error, RuntimeError), text):
                call()

    def test_torch_checks_the_operators(self):
        x, ends = random(256, 64), integers([5, 168])
        q, s, qt, st = quantize_groups(x, ends)
        wq, ws = quantize(random(2, 128, 64, seed=2))
        table, numbers = integers([[0, -1], [3, 4]]), random(2, 2, dtype=torch.float32)
        every = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        operators = torch.ops.mxc
        for operator, arguments in (
            (operators.quantize_groups, (x, ends)),
            (operators.quantize_groups, (x, integers([5, 40]), None, None, True, "row", 1)),
            (operators.grouped_matmul, (q, s, wq, ws, ends)),
            (operators.grouped_matmul, (*quantize(random(9, 64)), wq, ws, ends, 128, BF16, integers([3] * 256))),
            (operators.grouped_swiglu, (q, s, wq, ws, ends)),
            (operators.grouped_swiglu, (q, s, wq, ws, ends, False, "row")),
            (operators.grouped_swiglu_gradient, (q, s, wq, ws, ends, random(256, 256))),
            (operators.grouped_wgrad, (qt, st, qt, st, ends)),
            (operators.combine, (x, table, numbers)),
            (operators.gather_dot, (x[:2], x, table)),
        ):
            with self.subTest(str(operator)):
                takes_codes = arguments[0].dtype != BF16  # torch compares no 8-bit floats before and after a call
                makes_codes = "quantize" in str(operator)
                torch.library.opcheck(operator.default, arguments, test_utils=every[2:3] if takes_codes or makes_codes else every)

    def test_one_launch_of_swiglu(self):
        for align, count in ((128, 300), (1, 150), (1, 40)):
            sizes = [count, 0, 20]
            begins = [0, -(-count // align) * align, -(-count // align) * align]
            ends = integers([begin + size for begin, size in zip(begins, sizes)])
            x, weight = random(begins[2] + 22, 96), random(3, 256, 96, seed=2)
            q, s = quantize_groups(x, ends, axis="row", align=align)
            wq, ws = weight_copies(weight, columns=False)[:2]
            for keeps in (True, False):
                z, *copies = experts.grouped_swiglu(q, s, wq, ws, ends, keeps, "both" if align == 128 else "row", align, torch.float32)
                self.assertEqual(z.shape, (x.shape[0] if keeps else 0, 256))
                if keeps:  # bit for bit what a quantizer makes of the same f32
                    kept, expected = z, quantize_groups(z, ends, is_swiglu=True, axis="both" if align == 128 else "row", align=align)
                    plain = experts.grouped_matmul(q, s, wq, ws, ends, align, torch.float32)
                for begin, size in zip(begins, sizes):
                    rows = slice(begin, begin + size)
                    self.assertTrue(torch.allclose(kept[rows], plain[rows], rtol=1e-4, atol=1e-4))
                    views = [lambda t: t[rows], None, lambda t: t[:, rows], None]
                    for found, of, view in zip(copies, expected, views):
                        if view:
                            self.assertTrue(torch.equal(view(found).view(torch.uint8), view(of).view(torch.uint8)))


class Products(unittest.TestCase):
    RECIPE, BLOCK = "mxfp8", "1x32"
    MOST = 2.0**-12  # P2's bound

    # What operands are when they are quantized.
    rows = weight_rows = staticmethod(rounded)
    columns = weight_columns = staticmethod(rounded_columns)

    def check(self, sizes, align, n=72, k=64):
        """y and both gradients against products of what the operands are; the bound and a step of bf16."""
        ends, row, groups = [], 0, []
        for size in sizes:
            row = -(-row // align) * align
            groups.append(slice(row, row + size))
            row += size
            ends.append(row)
        x, weight = random(row + 3, k).requires_grad_(), random(len(sizes), n, k, seed=2).requires_grad_()
        y = grouped_mm(x, weight, integers(ends), align=align, recipe=self.RECIPE)
        dy = random(*y.shape, seed=3)
        y.backward(dy)
        for group, rows in enumerate(groups):
            own, of_weight, of_y = x.detach()[rows], weight.detach()[group], dy[rows]
            for found, left, right in (
                (y.detach()[rows], self.rows(own), self.weight_rows(of_weight)),
                (x.grad[rows], self.rows(of_y), self.weight_columns(of_weight).mT),
                (weight.grad[group], self.columns(of_y).mT, self.columns(own).mT),
            ):
                exact, terms = left @ right.mT, left.abs() @ right.abs().mT
                bound = self.MOST * terms + 2.0**-8 * exact.abs() + 2.0**-24
                if exact.numel():
                    self.assertLessEqual(((found.double() - exact).abs() - bound).max().item(), 0)

    def test_groups_of_any_size(self):
        for align in (1, 128):
            with self.subTest(align=align):
                self.check([0, 1, 31, 130, 0, 7], align)
                self.check([40], align, n=128)

    def test_quantized_operands(self):
        x, weight, ends = random(50, 64), random(3, 40, 64, seed=2), integers([20, 20, 50])
        expected = grouped_mm(x, weight, ends, recipe=self.RECIPE)
        codes = tuple(quantize_groups(x, ends, axis="row", align=1, block=self.BLOCK))
        copies = weight_copies(weight, columns=False, recipe=self.RECIPE)[:2]
        for given in ((codes, weight), (x, copies), (codes, copies)):
            self.assertTrue(torch.equal(grouped_mm(*given, ends, recipe=self.RECIPE), expected))

    def test_no_groups(self):
        for rows in (0, 3):
            for align in (1, 128):
                x, weight, ends = random(rows, 128).requires_grad_(), random(0, 128, 128).requires_grad_(), integers([])
                y = grouped_mm(x, weight, ends, align=align, recipe=self.RECIPE)
                y.sum().backward()
                self.assertEqual((y.shape, x.grad.abs().sum().item(), weight.grad.shape), ((rows, 128), 0, (0, 128, 128)))
                self.assertEqual(grouped_mm(x.detach(), weight.detach(), ends, align=align, recipe=self.RECIPE, index=ends).shape, (0, 128))

    def test_rows_by_index(self):
        tokens, weight, generator = random(9, 96), random(2, 64, 96, seed=2), torch.Generator().manual_seed(1)
        for align, (first, begin, end, rows) in ((1, (5, 5, 25, 30)), (128, (5, 128, 150, 160))):
            index = torch.randint(-1, 9, (rows,), generator=generator).int().to(PLACE)
            gathered = torch.where(index.unsqueeze(1) >= 0, tokens[index.clamp(min=0).long()], 0)
            options = {"align": align, "recipe": self.RECIPE}
            expected = grouped_mm(gathered, weight, integers([first, end]), **options)
            codes = quantize(tokens, block=self.BLOCK)
            copies = weight_copies(weight, columns=False, recipe=self.RECIPE)[:2]
            for given in ((tokens, weight), (codes, weight), (codes, copies)):
                found = grouped_mm(*given, integers([first, end]), index=index, **options)
                for group in (slice(0, first), slice(begin, end)):
                    self.assertTrue(torch.equal(found[group], expected[group]))

    def test_compiled(self):
        x, weight, ends = random(50, 64).requires_grad_(), random(3, 128, 64, seed=2).requires_grad_(), integers([20, 20, 50])
        expected = grouped_mm(x, weight, ends, recipe=self.RECIPE)
        expected.float().square().sum().backward()
        gradients, x.grad, weight.grad = (x.grad, weight.grad), None, None
        compiled = torch.compile(grouped_mm, fullgraph=True, backend="inductor" if IS_GPU else "aot_eager")
        y = compiled(x, weight, ends, recipe=self.RECIPE)
        self.assertTrue(torch.equal(y, expected))
        y.float().square().sum().backward()
        self.assertTrue(torch.equal(x.grad, gradients[0]) and torch.equal(weight.grad, gradients[1]))


class BlockwiseProducts(BlockwiseChecks, Products):
    """Operands in blocks of 1x128, weights of 128x128."""

    RECIPE, BLOCK = "blockwise", "1x128"
    MOST = 2.0**-7  # a step of 32 loses at most 2^-13 of its largest term for each one

    def rows(self, x):
        return self.blocks(x, 1, 128)[2]

    def columns(self, x):
        return self.rows(x.mT).mT

    def weight_rows(self, x):
        return self.blocks(x, 128, 128)[2]

    weight_columns = weight_rows

    def test_a_copy_of_weights_is_each_matrix_copy(self):
        for n in (256, 72):
            weight = random(3, n, 160)
            q, s, qt, st = weight_copies(weight, recipe="blockwise")
            for group in range(3):
                for codes, scales, own in ((q, s, quantize), (qt, st, quantize_column)):
                    expected = own(weight[group], block="128x128")
                    self.assertTrue(torch.equal(codes[group].view(torch.uint8), expected[0].view(torch.uint8)))
                    self.assertTrue(torch.equal(scales[group], expected[1]))

    def test_torch_checks_the_operators(self):
        x, ends, operators = random(256, 64), integers([5, 168]), torch.ops.mxc
        q, s, qt, st = quantize_groups(x, ends, block="1x128")
        wq, ws = quantize(random(2, 128, 64, seed=2), block="128x128")
        for operator, arguments in (
            (operators.quantize_groups, (x, ends, None, None, False, "both", 1, "e4m3", None, "1x128")),
            (operators.grouped_matmul, (q, s, wq, ws, ends)),
            (operators.grouped_swiglu_gradient, (q, s, wq, ws, ends, random(256, 256))),
            (operators.grouped_wgrad, (qt, st, qt, st, ends)),
        ):
            with self.subTest(str(operator)):
                torch.library.opcheck(operator.default, arguments, test_utils="test_faketensor")

    def test_what_is_refused_says_why(self):
        x, weight, ends = random(8, 256), random(2, 136, 256), integers([3, 8])
        q, s = quantize_groups(x, ends, axis="row", align=1, block="1x128")
        with self.assertRaisesRegex(RuntimeError, r"scales of a of shape \(2, 8\): expected \(2, 256\), of blocks of 1x128"):
            grouped_mm((q, s[:, :8].contiguous()), weight, ends, recipe="blockwise")
        with self.assertRaisesRegex(mxc.UsageError, "recipe: expected mxfp8, blockwise, found fp4"):
            MoE(2, 128, 128, recipe="fp4")


class LayerChecks:
    RECIPE = "mxfp8"
    MOST = 0.08  # of a result: operands of 4 bits in up to three products, one after the other

    def exact(self, layer, x, indices, weights):
        """In f64, with gradients."""
        y = torch.zeros_like(x)
        for group in range(layer.w13.shape[0]):
            token, choice = torch.nonzero(indices == group, as_tuple=True)
            gate, up = (x[token] @ layer.w13[group].double().mT).chunk(2, 1)
            rows = (torch.nn.functional.silu(gate) * up) @ layer.w2[group].double().mT
            y = y.index_add(0, token, weights[token, choice].unsqueeze(1) * rows)
        return y

    def check(self, indices, groups=4, features=128, hidden=128, most=MOST, compiled=False):
        torch.manual_seed(7)
        tokens, count = indices.shape
        layer = MoE(groups, features, hidden, device=PLACE, dtype=BF16, recipe=self.RECIPE)
        x, weights = random(tokens, features).requires_grad_(), random(tokens, count, dtype=torch.float32, seed=2).requires_grad_()
        call = torch.compile(layer, fullgraph=True, backend="inductor" if IS_GPU else "aot_eager") if compiled else layer
        y = call(x, indices, weights)
        dy = random(tokens, features, seed=3)
        y.backward(dy)
        found = [y.detach(), x.grad, weights.grad, layer.w13.grad, layer.w2.grad]
        x64, weights64 = x.detach().double().requires_grad_(), weights.detach().double().requires_grad_()
        layer.zero_grad()
        exact = self.exact(layer, x64, indices, weights64)
        exact.backward(dy.double())
        expected = [exact.detach(), x64.grad, weights64.grad, layer.w13.grad, layer.w2.grad]
        for name, ours, theirs in zip(("y", "dx", "dweights", "dw13", "dw2"), found, expected):
            self.assertTrue(torch.isfinite(ours).all(), name)
            if theirs is not None and theirs.abs().max() > 0:
                self.assertLess(relative(ours, theirs), most, name)
            else:
                self.assertEqual(ours.abs().max().item(), 0, name)
        return found

    def choices(self, tokens, count, groups, seed=5):
        generator = torch.Generator().manual_seed(seed)
        return torch.stack([torch.randperm(groups, generator=generator)[:count] for _ in range(tokens)]).to(PLACE)

    def test_random_choices(self):
        self.check(self.choices(150, 2, 4))

    def test_odd_sizes_and_dropped_choices(self):
        indices = self.choices(37, 3, 5)
        indices[::4, 1] = -1
        self.check(indices, groups=5, features=96, hidden=80)

    def test_compiled(self):
        indices = self.choices(40, 2, 4)
        for ours, theirs in zip(self.check(indices, compiled=True), self.check(indices)):
            self.assertTrue(torch.equal(ours, theirs))


class BlockwiseLayers(LayerChecks, BlockwiseChecks):
    """By the recipe of blocks of 128."""

    RECIPE = "blockwise"

    def test_rows_side_by_side(self):
        layer = MoE(4, 128, 128, device=PLACE, dtype=BF16, recipe="blockwise")
        x, indices, weights = random(20, 128), self.choices(20, 2, 4), random(20, 2)
        with torch.no_grad():
            compact = layer(x, indices, weights)
        self.assertTrue(torch.equal(layer(x, indices, weights).detach(), compact))  # B4: whatever the tile


class Layers(LayerChecks, unittest.TestCase):
    """In MXFP8."""

    def test_all_tokens_at_one_expert_and_one_token(self):
        self.check(torch.full((140, 1), 2, device=PLACE))
        self.check(torch.tensor([[3, 1]], device=PLACE), most=0.12)  # one row scatters more than many
        self.check(torch.zeros(300, 1, dtype=torch.int64, device=PLACE), groups=1)  # a tile of 256 rows

    def test_no_choice_is_zero(self):
        self.check(torch.full((5, 2), -1, device=PLACE))

    def test_what_is_frozen_has_no_gradient(self):
        layer = MoE(4, 128, 128, device=PLACE, dtype=BF16).requires_grad_(False)
        x, indices = random(20, 128).requires_grad_(), self.choices(20, 2, 4)
        layer(x, indices, random(20, 2)).backward(torch.ones(20, 128, device=PLACE, dtype=BF16))
        found, weights = x.grad, random(20, 2)
        layer.requires_grad_(True)
        x.grad = None
        layer(x, indices, weights).backward(torch.ones(1, 128, device=PLACE, dtype=BF16).expand(20, -1))
        # Rows side by side, and padded ones: in another tile, and where rows are few h is made of gate and up in bf16.
        self.assertLess(relative(x.grad, found), 2.0**-5)
        with torch.no_grad():
            compact = layer(x, indices, weights)
            places = expert_rows(indices, 4, layer.alignment())
            self.assertTrue(torch.equal(layer(x, indices, weights, places), compact))
        self.assertLess(relative(layer(x, indices, weights).detach(), compact), 2.0**-5)

    def test_copies_are_kept_until_the_weights_change(self):
        layer, x, indices, weights = MoE(4, 128, 128, device=PLACE, dtype=BF16), random(20, 128), self.choices(20, 2, 4), random(20, 2)
        with torch.no_grad():
            before = layer(x, indices, weights)
            kept = layer._copies("w2")
            layer(x, indices, weights)
            self.assertIs(layer._copies("w2"), kept)
            layer.w2.mul_(2)
            self.assertTrue(torch.equal(layer(x, indices, weights), 2 * before))

    def test_a_step_of_a_fused_optimizer_is_seen(self):
        """It changes weights without counting a version."""
        layer, x, indices, weights = MoE(4, 128, 128, device=PLACE, dtype=BF16), random(20, 128), self.choices(20, 2, 4), random(20, 2)
        optimizer = torch.optim.AdamW(layer.parameters(), lr=0.5, fused=True)
        with torch.no_grad():
            layer(x, indices, weights)
        layer(x, indices, weights).sum().backward()
        optimizer.step()
        trained, fresh = layer(x, indices, weights).detach(), copy.deepcopy(layer)
        self.assertTrue(torch.equal(fresh(x, indices, weights), trained))
        with torch.no_grad():
            self.assertTrue(torch.equal(layer(x, indices, weights), fresh(x, indices, weights)))


if __name__ == "__main__":
    unittest.main(verbosity=1)
