/* Launches a product once, on zeros, and exits when one of its other entry points was compiled, or after three seconds in
   which none was: exiting-host CACHE_FOLDER */
#include <mxc/mxc.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char kProduct[] =
    "#scales = #mx.scale_layout<tcgen05>\n"
    "mx.kernel @p(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,\n"
    "             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xf32>) {\n"
    "  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,\n"
    "                memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xf32>)\n"
    "}\n";

static mxc_engine *engine; /* none of its objects is destroyed */

static int check(mxc_status status) {
  if (status != MXC_OK) fprintf(stderr, "exiting-host: %s\n", mxc_last_error());
  return status != MXC_OK;
}

static int tensor(mxc_argument *argument, const char *name, const char *type, const int64_t *shape, int rank,
                  size_t bytes) {
  static const char zeros[64 * 128];
  mxc_buffer *buffer;
  if (check(mxc_buffer_create(engine, bytes, &buffer)) || check(mxc_buffer_upload(buffer, 0, zeros, bytes))) return 1;
  const mxc_argument made = {.struct_size = sizeof made,
                             .name = name,
                             .value = MXC_VALUE_TENSOR,
                             .type = type,
                             .address = mxc_buffer_address(buffer),
                             .rank = rank,
                             .shape = shape};
  *argument = made;
  return 0;
}

static int filesIn(const char *cache) {
  char path[4096];
  int count = 0;
  snprintf(path, sizeof path, "%s/kernels-1", cache);
  DIR *folder = opendir(path);
  while (folder && readdir(folder))
    ++count;
  if (folder) closedir(folder);
  return count;
}

static int waitForAnother(const char *cache) {
  const int before = filesIn(cache);
  for (int i = 0; i < 300 && filesIn(cache) <= before; ++i)
    usleep(10000);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  static const int64_t a[] = {1, 128}, b[] = {64, 128}, scales[] = {512}, c[] = {1, 64};
  const mxc_engine_options options = {.struct_size = sizeof options, .cache_folder = argv[1]};
  const mxc_load_options load = {.struct_size = sizeof load};
  mxc_kernel *kernel;
  mxc_argument arguments[5];
  return check(mxc_engine_create("simulator:sm_90a", &options, &engine)) ||
         check(mxc_kernel_load(engine, kProduct, strlen(kProduct), &load, &kernel)) ||
         tensor(&arguments[0], "a", "e4m3", a, 2, 128) || tensor(&arguments[1], "sa", "ue8m0", scales, 1, 512) ||
         tensor(&arguments[2], "b", "e4m3", b, 2, 64 * 128) || tensor(&arguments[3], "sb", "ue8m0", scales, 1, 512) ||
         tensor(&arguments[4], "c", "f32", c, 2, 64 * 4) || check(mxc_kernel_launch(kernel, arguments, 5, NULL)) || waitForAnother(argv[1]);
}
