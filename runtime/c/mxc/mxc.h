/* mxc for C, and for every language that calls C: compiles and loads kernels, and launches them on tensors by
 * their arguments' names.
 *
 * Link to libmxc, which contains the compiler and the simulator, or to libmxc_runtime, which only loads
 * images.
 *
 * - Functions return a status; mxc_last_error() says in words what failed on this thread. Nothing throws.
 * Nothing prints but the simulator, and not the faults of kernels: their text is in mxc_last_error.
 * - Every function may be called from any thread. An object must not be destroyed while another thread uses
 * it.
 * - Structs start with struct_size: set it to sizeof, set the members that you need, and set the rest to
 * zero. Programs then keep running with later versions, whose structs are longer.
 * - Destroy the objects that a call makes with their own destroy function, in any order; NULL is allowed
 * there. An object keeps alive what it needs. One that was destroyed is MXC_USAGE wherever it is given.
 * - An engine is for the process that made it: in a fork, calls with it return MXC_DEVICE.
 * - Calls leave the host as it was: its current CUDA context, signal handlers, locale and environment
 * variables.
 */
#ifndef MXC_H
#define MXC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MXC_API __attribute__((visibility("default")))

#define MXC_API_VERSION 1 /* this header's */
#define MXC_MAXIMUM_RANK 5

/* If LLVM runs out of memory, it ends the process, and MXC_OUT_OF_MEMORY is not returned. A limit of the
 * address space (ulimit -v) can make that happen early. */
typedef enum mxc_status {
  MXC_OK = 0,
  MXC_INVALID_INPUT = 1, /* a file, kernel, shape, type or tensor is at fault */
  MXC_USAGE = 2,         /* the call is at fault: a NULL, an unknown option or device name, a struct_size */
  MXC_DEVICE = 3,        /* the device or driver is missing or failed */
  MXC_OUT_OF_MEMORY = 4, /* the host has no memory left */
  MXC_INTERNAL = 5       /* a defect of mxc's */
} mxc_status;

typedef struct mxc_engine mxc_engine; /* a device, and the kernels that were loaded on it */
typedef struct mxc_kernel mxc_kernel; /* a loaded kernel */
typedef struct mxc_launch mxc_launch; /* a launch with its arguments, prepared */
typedef struct mxc_buffer mxc_buffer; /* device memory */
typedef struct mxc_stream mxc_stream; /* a CUDA stream that mxc made */
typedef struct mxc_bytes mxc_bytes;   /* what a compilation gave */

struct DLManagedTensorVersioned; /* of dlpack.h, version 1 */

/* ---- the library ---- */

MXC_API const char *mxc_version(void); /* "0.1.0" */
MXC_API int
mxc_api_version(void); /* the library's: never below that of the header a program was built with */
MXC_API int mxc_has_compiler(void); /* 0: this is libmxc_runtime */

/* Returns the text of this thread's last call that did not return MXC_OK, or "" if there was none. It is
 * valid until the next such call. */
MXC_API const char *mxc_last_error(void);

/* What tensors and kernels are made of, as JSON that lives as long as the library. Members may be added.
 *   "types": by name ("e4m3") "bits" in memory, and of elements and scales "mlir" ("f8E4M3FN")
 *   "block_formats": by name ("mxfp8_e4m3") "element", "scale", a block's "rows" and "columns", the latter
 * along what is quantized, and "tensor_scale": whether a tensor has a scale above its blocks'
 *   "scale_layouts": by name ("tcgen05") the "rows" and "blocks" of a tile; "scale_bits" of the scales that
 * it is for, 0: of any; "storage" of the tiles of [rows, blocks] scales: "matrix" [rows, blocks]; "tiles",
 * all in one dimension; "lines" [tiles along the blocks, blocks of a tile * padded rows]; "rows" [rows,
 * padded blocks] */
MXC_API const char *mxc_formats(void);

/* ---- devices ---- */

typedef struct mxc_engine_options {
  size_t struct_size;
  const char *cache_folder; /* NULL: the user's kernel cache; "": none; a relative path starts from the folder
                               that is current when the engine is made, as tuning_file does */
  uint64_t cache_bytes;     /* its limit on disk; 0: the default */
  void (*warn)(void *context,
               const char *text); /* receives warnings, on the thread that compiles; NULL: they are dropped */
  void *warn_context;
  const char *tuning_file; /* libmxc: the tuning database; NULL: the user's; "": none */
  /* How a simulator runs, for every engine of this process on the same chip; NULL: as the engine before, at
     first as MXC_SIM_CHECKS and MXC_SIM_SCHEDULE say. MXC_USAGE for a GPU. */
  const char *checks;   /* "off", "standard" or "strict", then findings to leave out: "strict,-shared-race" */
  const char *schedule; /* "eager", "lazy", "random:SEED", "sweep" or "sweep:SEEDS" */
} mxc_engine_options;

/* `device` is "cuda:0" or, with libmxc, "simulator:sm_100a". `options` may be NULL. */
MXC_API mxc_status mxc_engine_create(const char *device, const mxc_engine_options *options,
                                     mxc_engine **engine);
MXC_API void mxc_engine_destroy(mxc_engine *engine);
MXC_API const char *
mxc_engine_model(const mxc_engine *engine); /* "NVIDIA H200"; lives as long as the engine */

/* Gives back the device memory that launches took for workspaces, as far as no enqueued work uses it. It
 * stays with the process otherwise, for the next launch, also after a synchronization. */
MXC_API mxc_status mxc_engine_trim(mxc_engine *engine);

/* Imports the choices of tiles that `mxc tune --export` wrote (BASE.json) into a tuning database; NULL is the
 * user's. Engines compile kernels accordingly if they have not loaded them yet. Only libmxc has it. */
MXC_API mxc_status mxc_tuning_import(const char *bundle, const char *tuning_file);

/* Says whether, on this device, one launch of a grouped product with parts = 2 (gate and up of SwiGLU, and
 * what becomes of them) takes less time than a product and a second launch that reads it: of `rows` rows of a
 * in `groups` groups. `codes_along_rows`: 1 where every result is codes along rows. *joins is 0 where the
 * device has no such products. Only libmxc has it. */
MXC_API mxc_status mxc_engine_joins_parts(mxc_engine *engine, int64_t rows, int64_t groups,
                                          int codes_along_rows, int *joins);

/* ---- kernels ---- */

typedef struct mxc_load_options {
  size_t struct_size;
  const char *kernel; /* which one; NULL where the source or image holds one */
  const char *tile; /* for MLIR: "warps = 8, rows_per_warp = 4"; with several, split by semicolons, the first
                       that takes a launch; NULL: the device's own choice; none may be empty */
  const char *name; /* what messages call the content; NULL: "kernel in memory" */
} mxc_load_options;

/* Loads MLIR text (libmxc), or a cubin, fatbin or PTX that mxc compiled, told apart by the first bytes. What
 * was loaded before is found again; however many threads and processes ask, only one compiles. A stream may
 * be capturing meanwhile. `options` may be NULL. */
MXC_API mxc_status mxc_kernel_load(mxc_engine *engine, const void *content, size_t bytes,
                                   const mxc_load_options *options, mxc_kernel **kernel);
MXC_API mxc_status mxc_kernel_load_file(mxc_engine *engine, const char *path, const mxc_load_options *options,
                                        mxc_kernel **kernel);
MXC_API void mxc_kernel_destroy(mxc_kernel *kernel);

typedef enum mxc_argument_kind { MXC_TENSOR = 0, MXC_SCALAR = 1, MXC_WORKSPACE = 2 } mxc_argument_kind;

typedef struct mxc_argument_info {
  size_t struct_size;
  const char *name; /* the texts live as long as the kernel */
  const char *type; /* "bf16" "f16" "f32" "i32" "i64" "e4m3" "e5m2" "ue8m0" "u8" .. */
  mxc_argument_kind kind;
  int is_output;
  int rank; /* that of the tensors it takes: 1 for scales in tcgen05 tiles and for workspaces */
} mxc_argument_info;

MXC_API const char *mxc_kernel_name(const mxc_kernel *kernel); /* lives as long as the kernel */
MXC_API size_t mxc_kernel_argument_count(const mxc_kernel *kernel);
MXC_API mxc_status mxc_kernel_argument(const mxc_kernel *kernel, size_t index, mxc_argument_info *info);

/* ---- arguments and launches ---- */

/* An argument is one of: a tensor in device memory (type, rank, shape, address), a DLPack tensor (dlpack), a
 * scalar (integer or real). All elements of an array have the same struct_size. */
typedef enum mxc_value {
  MXC_VALUE_TENSOR = 0,
  MXC_VALUE_DLPACK = 1,
  MXC_VALUE_INTEGER = 2,
  MXC_VALUE_REAL = 3
} mxc_value;

typedef struct mxc_argument {
  size_t struct_size;
  const char *name; /* the kernel's name for it */
  mxc_value value;
  const char *type; /* as mxc_argument_info has it */
  uint64_t address;
  int rank;
  const int64_t *shape;   /* elements */
  const int64_t *strides; /* elements; NULL: contiguous, the last dimension innermost */
  /* borrowed for the call: its deleter is not called; bytes (uint8) serve for any type of 8 bits */
  const struct DLManagedTensorVersioned *dlpack;
  int64_t integer;
  double real;
} mxc_argument;

/* Computes the shape that argument `index` must have, given those of `arguments` (outputs may be missing):
 * `shape` has room for MXC_MAXIMUM_RANK sizes. A workspace's shape is the number of bytes that this device
 * needs, 0 if the launch needs none. A scalar's rank is 0. */
MXC_API mxc_status mxc_kernel_shape(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                                    size_t index, int64_t *shape, int *rank);

typedef struct mxc_launch_options {
  size_t struct_size;
  void *stream; /* a CUstream or cudaStream_t; NULL: the default stream */
  int pdl; /* programmatic dependent launch: it may start before the stream's previous kernel has ended */
} mxc_launch_options;

/* Checks every argument and enqueues one launch. It waits for nothing and allocates only the workspaces that
 * are not given, in the stream's order (while it captures, in the graph; if the driver refuses that, prepare
 * before the capture or give them). `options` may be NULL.
 *
 * A workspace that is given, as a tensor of "u8" under its name,
 * - has at least the bytes that mxc_kernel_shape says and overlaps no other argument; its address is a
 *   multiple of 256, as every allocation of the driver is;
 * - is all zeros before its first launch, which is not checked; every launch of the kernel that does not fail
 *   leaves it as the next one needs it;
 * - is not shared by launches that may overlap in time;
 * - stays until the last launch is done; with mxc_kernel_prepare, and in a graph that captured the launch,
 *   until the last repetition is. */
MXC_API mxc_status mxc_kernel_launch(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                                     const mxc_launch_options *options);

/* Launches in two steps, for repeated launches on the same tensors, which must stay where they are. The
 * stream of `options` is not used. Preparing allocates the workspaces that are not given, so it must come
 * before a capture. The launch owns them: it must outlive its repetitions (and graphs that captured it), and
 * these must not overlap in time. */
MXC_API mxc_status mxc_kernel_prepare(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                                      const mxc_launch_options *options, mxc_launch **launch);
MXC_API mxc_status mxc_launch_enqueue(const mxc_launch *launch, void *stream);
MXC_API void mxc_launch_destroy(mxc_launch *launch);

/* ---- memory and streams, for hosts that have none of their own ---- */

MXC_API mxc_status mxc_buffer_create(mxc_engine *engine, size_t bytes, mxc_buffer **buffer);
MXC_API void mxc_buffer_destroy(mxc_buffer *buffer);
MXC_API uint64_t mxc_buffer_address(const mxc_buffer *buffer);
MXC_API size_t mxc_buffer_bytes(const mxc_buffer *buffer);

/* Both copies are complete on return. A download first waits for all work on the device, on every stream, and
 * fails if that work failed. It is an error while a stream captures: that capture is then lost. An upload
 * waits for the default stream alone: launches on others that still read the buffer must be done.
 */
MXC_API mxc_status mxc_buffer_upload(mxc_buffer *buffer, size_t offset, const void *source, size_t bytes);
MXC_API mxc_status mxc_buffer_download(const mxc_buffer *buffer, size_t offset, void *destination,
                                       size_t bytes);

/* Makes a contiguous DLPack tensor over the buffer, which keeps the memory alive until its deleter is called.
 * Its device is kDLCUDA, or kDLExtDev with the chip's number for a simulator: 90 for sm_90a. (Tensors that a
 * host makes itself may have number 0, whatever the chip.) */
MXC_API mxc_status mxc_buffer_to_dlpack(const mxc_buffer *buffer, const char *type, int rank,
                                        const int64_t *shape, struct DLManagedTensorVersioned **tensor);

MXC_API mxc_status mxc_stream_create(mxc_engine *engine, mxc_stream **stream);
MXC_API void mxc_stream_destroy(mxc_stream *stream);
MXC_API void *mxc_stream_handle(const mxc_stream *stream); /* a CUstream */
MXC_API mxc_status mxc_stream_synchronize(const mxc_stream *stream);

/* ---- compiling ahead of time (libmxc) ---- */

typedef struct mxc_compile_options {
  size_t struct_size;
  const char *targets; /* "sm_90a"; several, split by commas, for a fatbin; NULL: sm_100a */
  const char *stage; /* "mlir" "tile" "nvvm" "llvm" "ptx" "cubin" "fatbin"; NULL: cubin, or fatbin for several
                      * targets */
  const char *tile;  /* as in mxc_load_options */
  const char *name;  /* what messages call the source; NULL: "kernel in memory" */
} mxc_compile_options;

MXC_API mxc_status mxc_compile(const char *source, size_t bytes, const mxc_compile_options *options,
                               mxc_bytes **output);
MXC_API const void *mxc_bytes_data(const mxc_bytes *bytes);
MXC_API size_t mxc_bytes_size(const mxc_bytes *bytes);
MXC_API void mxc_bytes_destroy(mxc_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif
