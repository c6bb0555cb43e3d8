// mxc convert: weights of a checkpoint to a block format, and back.
#include "dialect/formats/Error.h"
#include "runtime/checkpoint/Conversion.h"
#include "runtime/checkpoint/ConversionCheck.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/ProgressLine.h"

#include <cstdio>

namespace mxc {

static constexpr std::string_view kBack = "bf16";

static ConversionRequest requestOf(const ConvertCommand &command) {
  ConversionRequest request;
  request.only = command.only;
  request.except = command.except;
  if (command.to != kBack) {
    const CheckpointFormat *format = checkpointFormatNamed(command.to);
    std::vector<std::string> known = {std::string(kBack)};
    for (const CheckpointFormat &each : checkpointFormats())
      known.emplace_back(each.name);
    if (!format)
      throw Error(ErrorKind::Usage,
                  "--to: expected one of " + nameList(known) + ", found '" + command.to + "'");
    request.to = format->format;
  }
  request.convention = conventionNamed(command.as);
  std::vector<std::string> known;
  for (const Convention &each : conventions())
    known.emplace_back(each.name);
  if (!request.convention)
    throw Error(ErrorKind::Usage,
                "--as: expected one of " + nameList(known) + ", found '" + command.as + "'");
  return request;
}

static std::string megabytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", double(bytes) / 1e6);
  return text;
}

static std::string counted(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

static std::string checkReport(const ConversionCheck &check, bool isBack) {
  char largest[64];
  std::snprintf(largest, sizeof largest, "%.3f", check.largestError);
  return "verified: " + counted(check.weights, "weight") + " and " + counted(check.tensors, "other tensor") +
         ", " + megabytes(check.bytes) + ", identical with the host's" +
         (isBack ? "" : std::string("; largest error ") + largest + " of its bound") + "\n";
}

void convertCheckpoint(const ConvertCommand &command) {
  if (command.output == "-")
    throw Error(ErrorKind::Usage,
                "--output: expected a file or a folder, found -: standard output has the report");
  const ConversionRequest request = requestOf(command);
  checkNotInput(command.output, command.checkpoint);
  const Checkpoint checkpoint = Checkpoint::open(command.checkpoint);
  const ConversionPlan plan = planConversion(checkpoint, request);
  const std::unique_ptr<RowConverter> converter =
      command.device.empty() ? hostConverter() : deviceConverter(openDevice(command.device));

  ConversionOptions options;
  ConversionResult result;
  {
    ProgressLine line;
    options.progress = [&](const std::string &tensor, uint64_t bytes, uint64_t ofBytes) {
      line.show("MB " + tensor, size_t(bytes / 1'000'000), size_t(ofBytes / 1'000'000));
    };
    result = convertCheckpoint(checkpoint, plan, command.output, *converter, options);
  }
  const std::vector<std::string> formats(plan.formats.begin(), plan.formats.end());
  const std::string change =
      plan.isBack ? nameList(formats) + " to " + command.to : "to " + command.to + " as " + command.as;
  writeOutput("-", printable(command.output + ": " + counted(plan.weights.size(), "weight") + " " + change +
                             ", " + counted(plan.kept.size(), "other tensor") + " as before, " +
                             megabytes(result.bytesWritten)) +
                       "\n");
  if (command.verify)
    writeOutput("-", checkReport(checkConversion(checkpoint, plan, command.output, options), plan.isBack));
}

} // namespace mxc
