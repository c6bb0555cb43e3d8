# Quantizes two matrices, multiplies them and verifies the product, on a simulator and with nothing installed but mxc.
import array, math, random, mxc

engine = mxc.Engine("simulator:sm_90a", checks="strict")  # on a GPU "cuda:0", which has no checks
quantize, dequantize = engine.load(mxc.sources.quantize("f32")), engine.load(mxc.sources.dequantize(values="f32"))
multiply = engine.load(mxc.sources.matmul(result="f32"))
numbers = [array.array("f", (random.gauss(0, 1) for _ in range(48 * 128))) for _ in "ab"]
(a, sa), (b, sb) = [quantize.apply(engine.empty("f32", (48, 128)).upload(matrix)) for matrix in numbers]
c = multiply.apply(a, sa, b, sb).tolist()  # c = a b^T
x, y = dequantize.apply(a, sa).tolist(), dequantize.apply(b, sb).tolist()
right = [math.isclose(c[i][j], sum(map(float.__mul__, x[i], y[j])), abs_tol=1e-4) for i in range(48) for j in range(48)]
print(f"{sum(right)} of {len(right)} sums are right")
