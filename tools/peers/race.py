"""The method of docs/performance.md in torch: graphs that go round buffers larger than L2, replayed in turns, medians."""

import ctypes
import importlib
import pathlib
import statistics

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"
WORK_MICROS = 2000  # of a replay
WARM_SECONDS = 0.4


class Peer:
    """Somebody's function: `make(sets)` returns what launches it on set number i."""

    def __init__(self, name, needs, make, is_ceiling=False, remark=""):
        self.name, self.needs, self.make, self.is_ceiling, self.remark = name, needs, make, is_ceiling, remark

    def available(self):
        """Why it is not, or None."""
        for module in self.needs:
            try:
                importlib.import_module(module)
            except Exception as error:  # whatever an import of theirs may raise
                return f"{type(error).__name__}: {error}".splitlines()[0]
        return None


class Clocks:
    """Readings of NVML, where it is there: the multiprocessors' and the memory's clock in MHz."""

    def __init__(self):
        self.readings, self.device = [], ctypes.c_void_p()
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
            if self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
                self.nvml = None
        except OSError:
            self.nvml = None

    def read(self):
        if self.nvml is None:
            return
        reading = []
        for kind in (1, 2):  # NVML_CLOCK_SM, NVML_CLOCK_MEM
            clock = ctypes.c_uint()
            if self.nvml.nvmlDeviceGetClockInfo(self.device, kind, ctypes.byref(clock)):
                return
            reading.append(clock.value)
        self.readings.append(reading)

    def movement(self):
        return max(((max(c) - min(c)) / max(c) for c in zip(*self.readings)), default=0)

    def text(self):
        if not self.readings:
            return "unknown"
        return ", memory ".join(f"{min(c)} to {max(c)} MHz" for c in zip(*self.readings))


def case(title, unit, sets, pdl, clocks):
    """What stands above a table, and why there are no ratios where the clocks moved."""
    moved = clocks.movement()
    return {
        "title": f"{title}, {sets} sets" + (", PDL" if pdl else ""),
        "unit": unit,
        "clocks": clocks.text(),
        "refused": f"clocks moved by {100 * moved:.1f} %" if moved > 0.03 else None,
    }


def heavy_tailed(rows, columns, dtype, seed):
    """Normal times 2^U(-12, 12) in each block of 32."""
    import torch

    generator = torch.Generator(device="cuda").manual_seed(seed)
    blocks = torch.randint(-12, 13, (rows, (columns + 31) // 32), device="cuda", generator=generator)
    values = torch.randn(rows, columns, device="cuda", generator=generator)
    return torch.ldexp(values, blocks.repeat_interleave(32, 1)[:, :columns]).to(dtype)


def sets_for(bytes_of_set):
    import torch

    properties = torch.cuda.get_device_properties(0)
    free = torch.cuda.mem_get_info()[0]
    return max(1, min(1 + properties.L2_cache_size * 16 // 3 // bytes_of_set, free // 4 // bytes_of_set))


class Contender:
    def __init__(self, launch, sets):
        import torch

        launch(0)  # compilers and autotuners run now
        torch.cuda.synchronize()
        self.launch, self.sets = launch, sets
        graph = self._capture(sets)
        rounds = max(1, -int(-WORK_MICROS // max(self._micros(graph), 1e-3)))
        self.launches = sets * min(rounds, max(1, 20000 // sets))
        self.graph = self._capture(self.launches)

    def _capture(self, launches):
        import torch

        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(launches):
                self.launch(i % self.sets)
        return graph

    @staticmethod
    def _micros(graph):
        import torch

        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        graph.replay()  # covers what the host needs for the next one
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3

    def micros(self):
        return self._micros(self.graph) / self.launches


def race(peers, sets, tensors, rounds):
    """Rows of what each peer took, or why it is absent, and the clocks meanwhile."""
    import time

    rows, contenders = [], []
    for peer in peers:
        row = {"name": peer.name, "is_ceiling": peer.is_ceiling, "remark": peer.remark}
        rows.append(row)
        absent = peer.available()
        try:
            if absent is None:
                contenders.append((row, Contender(peer.make(tensors), sets)))
        except Exception as error:  # a peer that refuses the device or the shape
            absent = f"{type(error).__name__}: {error}".splitlines()[0]
        if absent is not None:
            row["absent"] = absent
    until = time.monotonic() + WARM_SECONDS
    while time.monotonic() < until:
        for _, contender in contenders:
            contender.micros()
    clocks, times = Clocks(), [[] for _ in contenders]
    for round_number in range(rounds):
        clocks.read()
        for i in range(len(contenders)):
            which = (round_number + i) % len(contenders)
            times[which].append(contenders[which][1].micros())
    clocks.read()
    for (row, _), micros in zip(contenders, times):
        quartiles = statistics.quantiles(micros, n=4, method="inclusive")
        row["micros"] = statistics.median(micros)
        row["spread"] = (quartiles[2] - quartiles[0]) / row["micros"]
        row["micros_of_rounds"] = micros
    return rows, clocks


def race_products(peers, sets, tensors, rounds, sizes):
    """The same of products m x n x k, with what each makes in TFLOP/s as its rate."""
    rows, clocks = race(peers, sets, tensors, rounds)
    m, n, k = sizes
    for row in rows:
        if "micros" in row:
            row["rate"] = 2 * m * n * k / row["micros"] / 1e6
    return rows, clocks
