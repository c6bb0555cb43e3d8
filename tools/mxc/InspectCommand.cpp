// mxc inspect
#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"
#include "runtime/launch/Module.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/RecordText.h"

namespace mxc {

static std::vector<ModuleAbi> recordsIn(const FileBytes &file, const std::string &path, ImageFormat format) {
  if (format == ImageFormat::Unknown)
    throw Error(ErrorKind::InvalidInput, path + ": expected a cubin, a fatbin or PTX text, found " +
                                             (file.size ? "something else" : "an empty file"));
  std::vector<ModuleAbi> records = abiFromImage({reinterpret_cast<const char *>(file.data.get()), file.size});
  if (records.empty())
    throw Error(ErrorKind::InvalidInput,
                path + ": " + whyNoRecord({reinterpret_cast<const char *>(file.data.get()), file.size}));
  return records;
}

void inspectImage(const InspectCommand &command) {
  constexpr size_t kMaximumBytes = size_t(1) << 30; // as for Module::load
  const FileBytes file = readFile(command.input, kMaximumBytes);
  const ImageFormat format = imageFormat(file.bytes());
  const std::vector<ModuleAbi> records = recordsIn(file, command.input, format);
  const std::vector<CubinResources> resources = resourcesInImage(file.bytes());
  std::string text;
  if (command.json && format != ImageFormat::Fatbin) {
    text = abiToJson(records.front(), 2) + "\n";
  } else if (command.json) {
    for (const ModuleAbi &record : records)
      text += (text.empty() ? "[" : ",\n") + abiToJson(record, 2);
    text += "]\n";
  } else {
    for (size_t i = 0; i < records.size(); ++i) // cubins come before PTX
      text += (text.empty() ? "" : "\n") +
              recordText(records[i], i < resources.size() ? resources[i] : CubinResources(),
                         command.isAll ? RecordDetail::All : RecordDetail::Short);
  }
  writeOutput("-", printable(text));
}

} // namespace mxc
