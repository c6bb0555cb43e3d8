#include "tests/unit/prologue/PrologueKernel.h"

#include "compiler/Compiler.h"
#include "compiler/targets/Target.h"
#include "dialect/formats/Error.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"

#include <deque>

using namespace mxc;

#ifdef MXC_ON_GPU
static Device deviceOf(const std::string &) { return openDevice("cuda:0"); }
std::vector<std::string> testTargets() {
  for (const std::string &target : openDevice("cuda:0").targetsAccepted())
    if (targetNamed(target)) return {target};
  return {};
}
#else
static Device deviceOf(const std::string &target) { return openDevice("simulator:" + target); }
std::vector<std::string> testTargets() {
  std::vector<std::string> names;
  for (const Target *target : allTargets())
    names.emplace_back(target->name);
  return names;
}
#endif

std::string quantizeBehind(const std::vector<std::string> &inputTypes, const std::string &body) {
  std::string arguments, names, types, region;
  for (size_t i = 0; i < inputTypes.size(); ++i) {
    std::string name = "%in" + std::to_string(i), type = "memref<?x?x" + inputTypes[i] + ">";
    const char *comma = i ? ", " : "";
    arguments += name + ": " + type + ", ";
    names += comma + name;
    types += comma + type;
    region += comma + ("%x" + std::to_string(i)) + ": f32";
  }
  return "mx.kernel @k(" + arguments +
         "%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n  mx.quantize ins(" + names + " : " +
         types + ") outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {\n^bb0(" + region + "):\n" +
         body + "  mx.yield %r : f32\n  }\n}\n";
}

static Module compiled(const std::string &source, const Device &device, const std::string &target,
                       const std::string &tile) {
  CompileOptions options;
  options.targets = {target};
  options.tile = tile;
  options.stage = Stage::Ptx;
  std::string ptx = compile(source, "prologue.mlir", options).output;
  return Module::fromImage(device, std::as_bytes(std::span(ptx)));
}

PrologueKernel::PrologueKernel(const std::string &source, const std::string &target, const std::string &tile)
    : device_(deviceOf(target)), kernel_(compiled(source, device_, target, tile).kernel()) {}

Quantized PrologueKernel::run(const HostTensors &inputs, int64_t rows, int64_t columns) const {
  Quantized result{std::vector<std::byte>(static_cast<size_t>(rows * columns)),
                   std::vector<std::byte>(static_cast<size_t>(rows * ((columns + 31) / 32)))};
  std::deque<Buffer> buffers;
  Arguments arguments;
  for (const AbiArgument &argument : abi().arguments) {
    std::vector<int64_t> shape{rows, argument.name == "s" ? (columns + 31) / 32 : columns};
    auto input = inputs.find(argument.name);
    size_t bytes = argument.name == "s"   ? result.s.size()
                   : argument.name == "q" ? result.q.size()
                                          : input->second.size();
    Buffer &buffer = buffers.emplace_back(device_, bytes);
    if (!argument.isOutput) buffer.upload(input->second);
    arguments.push_back({argument.name, buffer.view(argument.type, shape)});
  }
  Stream stream(device_);
  LaunchOptions options;
  options.stream = stream;
  kernel_.launch(arguments, options);
  stream.synchronize();
  buffers[buffers.size() - 2].download(result.q);
  buffers.back().download(result.s);
  return result;
}
