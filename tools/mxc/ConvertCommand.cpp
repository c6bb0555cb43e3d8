// mxc convert: weights of a checkpoint to a block format, and back.
#include "dialect/formats/Error.h"
#include "runtime/checkpoint/Conversion.h"
#include "runtime/checkpoint/ConversionCheck.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/ProgressLine.h"

#include <algorithm>
#include <cstdio>

namespace mxc {

static constexpr std::string_view kBack = "bf16";

/// "q_lin,k_lin,v_lin"
static FusedSet fusedSet(const std::string &text) {
  FusedSet set;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    set.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (set.size() < 2 || std::ranges::count(set, ""))
    throw Error(ErrorKind::Usage,
                "--fused: expected two names of modules or more, as q_lin,k_lin,v_lin, found '" + text + "'");
  return set;
}

static ConversionRequest requestOf(const ConvertCommand &command) {
  ConversionRequest request;
  request.only = command.only;
  request.except = command.except;
  for (const std::string &text : command.fused)
    request.fused.push_back(fusedSet(text));
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

/// What a user may have expected otherwise.
static void report(const std::string &what, const std::vector<std::string> &names) {
  constexpr size_t kMost = 20;
  if (names.empty()) return;
  std::string text = what + ": ";
  for (size_t i = 0; i < std::min(kMost, names.size()); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  writeOutput("-", printable(text) + "\n");
}

void convertCheckpoint(const ConvertCommand &command) {
  if (command.output == "-")
    throw Error(ErrorKind::Usage,
                "--output: expected a file or a folder, found -: standard output has the report");
  if (command.output.empty())
    throw Error(ErrorKind::Usage, "--output: expected a file or a folder, found ''");
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
  report("stay as they are, no matrices \"*.weight\"", plan.keptWeights);
  report("not copied", result.leftOut);
  if (command.verify)
    writeOutput("-", checkReport(checkConversion(checkpoint, plan, command.output, options), plan.isBack));
}

} // namespace mxc
