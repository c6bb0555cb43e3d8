#include "runtime/c/Handles.h"
#include "runtime/c/LiveHandles.h"
#include "runtime/c/Status.h"
#include "runtime/files/FileBytes.h"

using namespace mxc;
using namespace mxc::c;

static constexpr size_t kMaximumBytes = size_t(1) << 30; // of sources and images

/// A caller's content. A length of -1 must not be trusted.
static std::string_view contentOf(const void *content, size_t bytes, const char *what) {
  if (bytes > kMaximumBytes)
    throw Error(ErrorKind::Usage, std::string(what) + " of " + std::to_string(bytes) +
                                      " bytes: expected at most " + std::to_string(kMaximumBytes));
  return {&required(static_cast<const char *>(content), what), bytes};
}

mxc_status mxc_engine_create(const char *device, const mxc_engine_options *options, mxc_engine **engine) {
  return guarded([&] {
    required(engine, "engine") = nullptr;
    const mxc_engine_options known = sized(options, "mxc_engine_options");
    Device chosen = opened(&required(device, "device"), known);
    std::shared_ptr<Loader> loader = makeLoader(chosen, known);
    *engine = made<mxc_engine>(std::move(chosen), std::move(loader));
  });
}

void mxc_engine_destroy(mxc_engine *engine) {
  destroyed(engine, "engine was destroyed before, or mxc did not make it");
}

const char *mxc_engine_model(const mxc_engine *engine) {
  return orNull(engine) ? engine->device.model().c_str() : "";
}

mxc_status mxc_engine_trim(mxc_engine *engine) {
  return guarded([&] { alive(engine, "engine").device.trimPool(); });
}

mxc_status mxc_tuning_import(const char *bundle, const char *tuning_file) {
  return guarded([&] { importTuning(&required(bundle, "bundle"), tuning_file); });
}

mxc_status mxc_engine_joins_parts(mxc_engine *engine, int64_t rows, int64_t groups, int codes_along_rows,
                                  int *joins) {
  return guarded([&] {
    required(joins, "joins") = 0;
    if (rows < 0 || groups < 1)
      throw Error(ErrorKind::Usage,
                  "mxc_engine_joins_parts: expected rows from 0 on and groups from 1 on, found " +
                      std::to_string(rows) + " and " + std::to_string(groups));
    *joins = joinsParts(alive(engine, "engine").device, rows, groups, codes_along_rows != 0);
  });
}

static mxc_kernel *loaded(mxc_engine &engine, std::string_view content, const mxc_load_options &options,
                          const std::string &name) {
  const std::string kernel = optionOf(options.kernel, "kernel");
  Module module = engine.loader->load(content, name, optionOf(options.tile, "tile"));
  return made<mxc_kernel>(module.kernel(kernel));
}

mxc_status mxc_kernel_load(mxc_engine *engine, const void *content, size_t bytes,
                           const mxc_load_options *options, mxc_kernel **kernel) {
  return guarded([&] {
    required(kernel, "kernel") = nullptr;
    const mxc_load_options known = sized(options, "mxc_load_options");
    const std::string_view text = contentOf(content, bytes, "content");
    *kernel = loaded(alive(engine, "engine"), text, known, textOr(known.name, "kernel in memory"));
  });
}

mxc_status mxc_kernel_load_file(mxc_engine *engine, const char *path, const mxc_load_options *options,
                                mxc_kernel **kernel) {
  return guarded([&] {
    required(kernel, "kernel") = nullptr;
    alive(engine, "engine");
    const mxc_load_options known = sized(options, "mxc_load_options");
    const FileBytes file = readFile(&required(path, "path"), kMaximumBytes);
    const std::string_view text(reinterpret_cast<const char *>(file.data.get()), file.size);
    *kernel = loaded(*engine, text, known, textOr(known.name, path));
  });
}

mxc_status mxc_compile(const char *source, size_t bytes, const mxc_compile_options *options,
                       mxc_bytes **output) {
  return guarded([&] {
    required(output, "output") = nullptr;
    const mxc_compile_options known = sized(options, "mxc_compile_options");
    *output = made<mxc_bytes>(compiled(contentOf(source, bytes, "source"), known));
  });
}

const void *mxc_bytes_data(const mxc_bytes *bytes) { return orNull(bytes) ? bytes->bytes.data() : nullptr; }
size_t mxc_bytes_size(const mxc_bytes *bytes) { return orNull(bytes) ? bytes->bytes.size() : 0; }
void mxc_bytes_destroy(mxc_bytes *bytes) {
  destroyed(bytes, "bytes was destroyed before, or mxc did not make it");
}
