/* A host that loads libmxc as a plug-in and unloads it again, twice: reopen LIBRARY QUANTIZE.mlir */
#include <mxc/mxc.h>

#include <dlfcn.h>
#include <stdio.h>

static int compile(void *library, const char *path) {
  __typeof__(mxc_engine_create) *create = dlsym(library, "mxc_engine_create");
  __typeof__(mxc_engine_destroy) *destroy = dlsym(library, "mxc_engine_destroy");
  __typeof__(mxc_kernel_load_file) *load = dlsym(library, "mxc_kernel_load_file");
  __typeof__(mxc_kernel_destroy) *unload = dlsym(library, "mxc_kernel_destroy");
  __typeof__(mxc_last_error) *last_error = dlsym(library, "mxc_last_error");
  const mxc_engine_options options = {.struct_size = sizeof options, .cache_folder = ""};
  mxc_engine *engine = NULL;
  mxc_kernel *kernel = NULL;
  const int failed = create("simulator:sm_90a", &options, &engine) || load(engine, path, NULL, &kernel);
  puts(failed ? last_error() : "compiled");
  unload(kernel);
  destroy(engine);
  return failed;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  for (int i = 0; i < 2; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), 1;
    if (compile(library, argv[2])) return 1;
    printf("closed: %d\n", dlclose(library));
    fflush(stdout);
  }
  return 0;
}
