/* Prints what a kernel takes that was compiled with this program and is part of it: embedded-host cuda:0 */
#include <mxc/mxc.h>
#include <mxc_kernels/quantize.h>

#include <stdio.h>

int main(int argc, char **argv) {
  mxc_engine *engine = NULL;
  mxc_kernel *kernel = NULL;
  mxc_argument_info info = {sizeof info};
  if (mxc_engine_create(argc > 1 ? argv[1] : "cuda:0", NULL, &engine) != MXC_OK ||
      mxc_kernel_load(engine, mxc_quantize_image, mxc_quantize_image_bytes, NULL, &kernel) != MXC_OK) {
    fprintf(stderr, "%s\n", mxc_last_error());
    mxc_engine_destroy(engine);
    return 1;
  }
  printf("%s on %s:", mxc_kernel_name(kernel), mxc_engine_model(engine));
  for (size_t i = 0; i < mxc_kernel_argument_count(kernel); ++i)
    if (mxc_kernel_argument(kernel, i, &info) == MXC_OK) printf(" %s %s", info.name, info.type);
  printf("\n");
  mxc_kernel_destroy(kernel);
  mxc_engine_destroy(engine);
  return 0;
}
