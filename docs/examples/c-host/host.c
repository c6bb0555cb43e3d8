/* Quantizes a matrix of ones with docs/examples/quantize.mlir: host quantize.mlir simulator:sm_100a
 * Or with an image of it: image-host quantize.cubin cuda:0 */
#include <mxc/mxc.h>

#include <stdio.h>
#include <stdlib.h>

static void check(mxc_status status) {
  if (status == MXC_OK) return;
  fprintf(stderr, "%s\n", mxc_last_error());
  exit((int)status);
}

static mxc_argument tensor(const char *name, const char *type, const mxc_buffer *buffer, int rank, const int64_t *shape) {
  mxc_argument argument = {sizeof argument};
  argument.name = name;
  argument.type = type;
  argument.address = mxc_buffer_address(buffer);
  argument.rank = rank;
  argument.shape = shape;
  return argument;
}

int main(int argc, char **argv) {
  enum { rows = 100, columns = 256 };
  static uint16_t ones[rows * columns];
  static uint8_t codes[rows * columns];
  const int64_t matrix[] = {rows, columns};
  int64_t scales[MXC_MAXIMUM_RANK];
  int rank;
  mxc_engine *engine;
  mxc_kernel *kernel;
  mxc_stream *stream;
  mxc_buffer *x, *q, *s;
  mxc_argument arguments[3];
  mxc_launch_options options = {sizeof options};

  check(mxc_engine_create(argc > 2 ? argv[2] : "cuda:0", NULL, &engine));
  check(mxc_kernel_load_file(engine, argc > 1 ? argv[1] : "quantize.cubin", NULL, &kernel));
  check(mxc_stream_create(engine, &stream));
  check(mxc_buffer_create(engine, sizeof ones, &x));
  check(mxc_buffer_create(engine, sizeof codes, &q));
  arguments[0] = tensor("x", "bf16", x, 2, matrix);
  arguments[1] = tensor("q", "e4m3", q, 2, matrix);
  check(mxc_kernel_shape(kernel, arguments, 2, 2, scales, &rank)); /* of argument 2: whole tiles of 512 bytes */
  check(mxc_buffer_create(engine, (size_t)scales[0], &s));
  arguments[2] = tensor("s", "ue8m0", s, rank, scales);

  for (size_t i = 0; i < rows * columns; ++i)
    ones[i] = 0x3F80; /* bf16 */
  check(mxc_buffer_upload(x, 0, ones, sizeof ones));
  options.stream = mxc_stream_handle(stream);
  check(mxc_kernel_launch(kernel, arguments, 3, &options));
  check(mxc_stream_synchronize(stream));
  check(mxc_buffer_download(q, 0, codes, sizeof codes));
  printf("mxc %s%s on %s: 1.0 became the code 0x%02x, the last one 0x%02x\n", mxc_version(),
         mxc_has_compiler() ? " with its compiler" : "", mxc_engine_model(engine), codes[0], codes[rows * columns - 1]);

  mxc_buffer_destroy(s);
  mxc_buffer_destroy(q);
  mxc_buffer_destroy(x);
  mxc_stream_destroy(stream);
  mxc_kernel_destroy(kernel);
  mxc_engine_destroy(engine);
  return 0;
}
