// XLA's interface for custom calls, as far as a launch needs it: the structs and numbers of
// xla/ffi/api/c_api.h, version 0.3, which XLA keeps compatible. https://openxla.org/xla/custom_call
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxc::xla {

constexpr int kMajorVersion = 0, kMinorVersion = 3;

struct Error;            // opaque
struct ExecutionContext; // opaque

struct Extension {
  size_t struct_size;
  int type; // kMetadata
  Extension *next;
};

struct Head { // every other struct begins so
  size_t struct_size;
  Extension *extension_start;
};

struct ApiVersion {
  Head head;
  int major_version, minor_version;
};

struct Metadata {
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  int64_t state_type;
};

struct MetadataExtension {
  Extension head;
  Metadata *metadata;
};

enum class ErrorCode : int {
  InvalidArgument = 3,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Internal = 13
};

struct ErrorCreateArguments {
  Head head;
  const char *message;
  ErrorCode code;
};

struct StreamGetArguments {
  Head head;
  ExecutionContext *context;
  void *stream;
};

struct DeviceOrdinalGetArguments {
  Head head;
  ExecutionContext *context;
  int32_t device_ordinal;
};

struct Api {
  Head head;
  ApiVersion api_version;
  const void *internal_api;
  Error *(*error_create)(ErrorCreateArguments *arguments);
  void *unused[3]; // error_get_message, error_destroy, handler_register
  Error *(*stream_get)(StreamGetArguments *arguments);
  void *others[12]; // type_register to run_id_get
  Error *(*device_ordinal_get)(DeviceOrdinalGetArguments *arguments);
};

enum class DataType : int {
  S32 = 4,
  S64 = 5,
  U8 = 6,
  F16 = 10,
  F32 = 11,
  BF16 = 16,
  F8E5M2 = 19,
  F8E4M3FN = 20,
  F8E8M0FNU = 33
};

struct Buffer { // row-major
  Head head;
  DataType dtype;
  void *data;
  int64_t rank;
  int64_t *dims;
};

struct Text {
  const char *data;
  size_t size;
};

struct Values { // arguments, or results
  Head head;
  int64_t size;
  int *types; // 1: a buffer
  void **values;
};

struct Attributes {
  Head head;
  int64_t size;
  int *types; // 4: a text
  Text **names;
  void **values;
};

struct CallFrame {
  Head head;
  const Api *api;
  ExecutionContext *context;
  int stage; // 3: the execution
  Values arguments, results;
  Attributes attributes;
};

constexpr int kMetadata = 1, kBuffer = 1, kText = 4, kExecute = 3;

static_assert(sizeof(Metadata) == 48 && offsetof(CallFrame, attributes) == 120 && sizeof(Buffer) == 48);
static_assert(offsetof(Api, stream_get) == 80 && offsetof(Api, device_ordinal_get) == 184);

} // namespace mxc::xla
