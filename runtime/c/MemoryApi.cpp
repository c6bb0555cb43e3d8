#include "runtime/c/DlpackTensor.h"
#include "runtime/c/Handles.h"
#include "runtime/c/LiveHandles.h"
#include "runtime/c/Status.h"

using namespace mxc;
using namespace mxc::c;

mxc_status mxc_buffer_create(mxc_engine *engine, size_t bytes, mxc_buffer **buffer) {
  return guarded([&] {
    required(buffer, "buffer") = nullptr;
    *buffer = made<mxc_buffer>(std::make_shared<Buffer>(alive(engine, "engine").device, bytes));
  });
}

void mxc_buffer_destroy(mxc_buffer *buffer) {
  destroyed(buffer, "buffer was destroyed before, or mxc did not make it");
}
uint64_t mxc_buffer_address(const mxc_buffer *buffer) {
  return orNull(buffer) ? buffer->buffer->address() : 0;
}
size_t mxc_buffer_bytes(const mxc_buffer *buffer) { return orNull(buffer) ? buffer->buffer->bytes() : 0; }

mxc_status mxc_buffer_upload(mxc_buffer *buffer, size_t offset, const void *source, size_t bytes) {
  return guarded([&] {
    Buffer &known = *alive(buffer, "buffer").buffer;
    if (bytes) required(static_cast<const char *>(source), "source");
    known.upload({static_cast<const std::byte *>(source), bytes}, offset);
  });
}

mxc_status mxc_buffer_download(const mxc_buffer *buffer, size_t offset, void *destination, size_t bytes) {
  return guarded([&] {
    const Buffer &known = *alive(buffer, "buffer").buffer;
    if (bytes) required(static_cast<char *>(destination), "destination");
    if (bytes) known.device().synchronize();
    known.download({static_cast<std::byte *>(destination), bytes}, offset);
  });
}

mxc_status mxc_buffer_to_dlpack(const mxc_buffer *buffer, const char *type, int rank, const int64_t *shape,
                                DLManagedTensorVersioned **tensor) {
  return guarded([&] {
    required(tensor, "tensor") = nullptr;
    if (rank < 0 || rank > MXC_MAXIMUM_RANK) throw Error(ErrorKind::Usage, "rank: expected 0 to 5");
    if (rank) required(shape, "shape");
    *tensor = dlpackOf(alive(buffer, "buffer").buffer, &required(type, "type"), {shape, size_t(rank)});
  });
}

mxc_status mxc_stream_create(mxc_engine *engine, mxc_stream **stream) {
  return guarded([&] {
    required(stream, "stream") = nullptr;
    *stream = made<mxc_stream>(Stream(alive(engine, "engine").device));
  });
}

void mxc_stream_destroy(mxc_stream *stream) {
  destroyed(stream, "stream was destroyed before, or mxc did not make it");
}
void *mxc_stream_handle(const mxc_stream *stream) {
  return orNull(stream) ? stream->stream.handle() : nullptr;
}
mxc_status mxc_stream_synchronize(const mxc_stream *stream) {
  return guarded([&] { alive(stream, "stream").stream.synchronize(); });
}
