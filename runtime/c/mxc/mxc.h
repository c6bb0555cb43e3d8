/* mxc for C, and for whatever calls C: compile and load kernels, launch them on tensors by their arguments'
 * names.
 *
 * Linked to libmxc (the compiler and the simulator are in it), or to libmxc_runtime, which loads images
 * alone.
 *
 * - Functions return a status; mxc_last_error() says in words what failed on this thread. Nothing throws.
 * Nothing prints, but the simulator where a kernel faults.
 * - Every function may be called from every thread. An object must not be destroyed while another thread uses
 * it.
 * - Structs start with struct_size: set it to sizeof, and the rest to zero but for what you want to say. That
 * keeps programs running with later versions, whose structs are longer.
 * - Objects that a call makes are destroyed by their own destroy function, in any order; NULL is allowed
 * there. What they need stays alive as long as they do.
 * - Nothing of the host's is left changed: no current CUDA context, signal handler, locale or environment
 * variable.
 */
#ifndef MXC_H
#define MXC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MXC_API __attribute__((visibility("default")))

#define MXC_API_VERSION 1 /* of this header */
#define MXC_MAXIMUM_RANK 5

/* Where LLVM runs out of memory, which a limit of the address space (ulimit -v) can make happen early, it
 * ends the process: there is no MXC_OUT_OF_MEMORY then. */
typedef enum mxc_status {
  MXC_OK = 0,
  MXC_INVALID_INPUT = 1, /* a file, kernel, shape, type or tensor is at fault */
  MXC_USAGE = 2,         /* the call is: a NULL, an unknown option or device name, a struct_size */
  MXC_DEVICE = 3,        /* the device or driver is missing or failed */
  MXC_OUT_OF_MEMORY = 4, /* of the host's */
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
MXC_API int mxc_api_version(void);  /* of the library: at least the header's that a program was built with */
MXC_API int mxc_has_compiler(void); /* 0: this is libmxc_runtime */

/* What the last call on this thread that did not return MXC_OK says: valid until the next one that does not.
 * "" if there was none. */
MXC_API const char *mxc_last_error(void);

/* ---- devices ---- */

typedef struct mxc_engine_options {
  size_t struct_size;
  const char *cache_folder; /* NULL: the user's kernel cache; "": none; a relative one starts from the folder
                               that is current when the engine is made, and so does tuning_file */
  uint64_t cache_bytes;     /* its limit on disk; 0: the default */
  void (*warn)(void *context,
               const char *text); /* told of warnings, on the thread that compiles; NULL: nobody */
  void *warn_context;
  const char *tuning_file; /* libmxc: the tuning database; NULL: the user's; "": none */
} mxc_engine_options;

/* `device`: "cuda:0", or, with libmxc, "simulator:sm_100a". `options` may be NULL. */
MXC_API mxc_status mxc_engine_create(const char *device, const mxc_engine_options *options,
                                     mxc_engine **engine);
MXC_API void mxc_engine_destroy(mxc_engine *engine);
MXC_API const char *
mxc_engine_model(const mxc_engine *engine); /* "NVIDIA H200"; lives as long as the engine */

/* Takes choices of tiles that `mxc tune --export` wrote (BASE.json) into a tuning database; NULL: the user's.
 * Engines compile kernels accordingly that they have not loaded yet. libmxc. */
MXC_API mxc_status mxc_tuning_import(const char *bundle, const char *tuning_file);

/* ---- kernels ---- */

typedef struct mxc_load_options {
  size_t struct_size;
  const char *kernel; /* which one; NULL where the source or image holds one */
  const char *tile; /* of MLIR: "warps = 8, rows_per_warp = 4"; several with semicolons: the first that takes
                       a launch; NULL: the device's own choice; none may be empty */
  const char *name; /* what messages call the content; NULL: "kernel in memory" */
} mxc_load_options;

/* MLIR text (libmxc), or a cubin, fatbin or PTX that mxc compiled, told apart by its first bytes. What was
 * loaded before is found; whatever number of threads and processes ask, one compiles. A stream may be
 * capturing meanwhile. `options` may be NULL. */
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
  int rank; /* of the tensors that it takes: 1 for scales in tcgen05 tiles and for workspaces */
} mxc_argument_info;

MXC_API const char *mxc_kernel_name(const mxc_kernel *kernel); /* lives as long as the kernel */
MXC_API size_t mxc_kernel_argument_count(const mxc_kernel *kernel);
MXC_API mxc_status mxc_kernel_argument(const mxc_kernel *kernel, size_t index, mxc_argument_info *info);

/* ---- arguments and launches ---- */

/* One of: a tensor in device memory (type, rank, shape, address), a DLPack tensor (dlpack), a scalar (integer
 * or real). Arrays of them have one struct_size. */
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
  /* borrowed for the call: its deleter is not called; bytes (uint8) are taken for what has 8 bits */
  const struct DLManagedTensorVersioned *dlpack;
  int64_t integer;
  double real;
} mxc_argument;

/* The shape that argument `index` must have, when those of `arguments` (outputs may be missing) have theirs:
 * `shape` has room for MXC_MAXIMUM_RANK sizes. A workspace's is how many bytes this device wants; 0 where the
 * launch needs none of them. A scalar's rank is 0. */
MXC_API mxc_status mxc_kernel_shape(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                                    size_t index, int64_t *shape, int *rank);

typedef struct mxc_launch_options {
  size_t struct_size;
  void *stream; /* a CUstream or cudaStream_t; NULL: the default stream */
  int pdl; /* programmatic dependent launch: it may start before the kernel before it on the stream ended */
} mxc_launch_options;

/* Checks every argument and enqueues one launch. It allocates and waits for nothing, but for workspaces that
 * are not given: these are allocated in the stream's order (while it captures: in the graph; where the driver
 * refuses that, prepare before the capture or give them). `options` may be NULL.
 *
 * A workspace that is given, as a tensor of "u8" under its name,
 * - has at least the bytes that mxc_kernel_shape says, and overlaps no other argument; its address is a
 *   multiple of 256, as that of every allocation of the driver's is;
 * - is all zeros before its first launch, which nobody checks; launches of the kernel leave it as the next
 *   needs it, but for one that failed;
 * - is not shared by launches that may overlap in time;
 * - stays until the last launch is done; with mxc_kernel_prepare, and in a graph that captured the launch,
 *   until the last repetition is. */
MXC_API mxc_status mxc_kernel_launch(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                                     const mxc_launch_options *options);

/* The same in two steps, for repeated launches on the same tensors, which must stay where they are. The
 * stream of `options` is not used. Preparing allocates the workspaces that are not given, and so must come
 * before a capture; the launch keeps them: it must outlive its repetitions (and graphs that captured it), and
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

/* Copies that are complete on return. A download waits for all work on the device first, whatever stream it
 * is on; where that failed, it says so. It is an error while a stream captures, whose capture is then lost.
 * An upload waits for the default stream alone: launches on others that still read the buffer must be done.
 */
MXC_API mxc_status mxc_buffer_upload(mxc_buffer *buffer, size_t offset, const void *source, size_t bytes);
MXC_API mxc_status mxc_buffer_download(const mxc_buffer *buffer, size_t offset, void *destination,
                                       size_t bytes);

/* A DLPack tensor over the buffer, contiguous, which keeps the memory alive until its deleter is called. Its
 * device is kDLCUDA, or kDLExtDev for a simulator, with its chip's number: 90 for sm_90a. (Tensors that a
 * host makes itself may have number 0, of whichever chip.) */
MXC_API mxc_status mxc_buffer_to_dlpack(const mxc_buffer *buffer, const char *type, int rank,
                                        const int64_t *shape, struct DLManagedTensorVersioned **tensor);

MXC_API mxc_status mxc_stream_create(mxc_engine *engine, mxc_stream **stream);
MXC_API void mxc_stream_destroy(mxc_stream *stream);
MXC_API void *mxc_stream_handle(const mxc_stream *stream); /* a CUstream */
MXC_API mxc_status mxc_stream_synchronize(const mxc_stream *stream);

/* ---- compiling ahead of time (libmxc) ---- */

typedef struct mxc_compile_options {
  size_t struct_size;
  const char *targets; /* "sm_90a"; several with commas for a fatbin; NULL: sm_100a */
  const char
      *stage; /* "mlir" "tile" "nvvm" "llvm" "ptx" "cubin" "fatbin"; NULL: cubin, of several targets fatbin */
  const char *tile; /* as in mxc_load_options */
  const char *name; /* what messages call the source; NULL: "kernel in memory" */
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
