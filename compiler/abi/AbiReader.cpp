// The ABI from the record's JSON. It trusts nothing: images come from anywhere.
#include "compiler/abi/AbiMember.h"
#include "compiler/abi/AbiNames.h"

#include <cctype>

namespace mxc {
namespace {

constexpr int kMaxDepth = 32; // a record needs 9
constexpr size_t kMaxKernels = 4096, kMaxDimensions = 64, kMaxArguments = 64, kMaxVariants = 256,
                 kMaxParameters = 256, kMaxRegions = 64, kMaxRoles = 32, kMaxRank = 5, kMaxLaunches = 16;

std::vector<std::string> tensorTypes() {
  std::vector<std::string> types = {"bf16", "f16", "f32", "i32", "i64", "u8", "ue8m0", "ue4m3"};
#define MXC_ELEMENT_FORMAT(Name, name, ...) types.push_back(name);
#include "dialect/formats/ElementFormats.def"
  return types;
}

bool isName(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string strideName(size_t dimension) { return "stride" + std::to_string(dimension); }

/// Names that an expression knows without the kernel's doing.
bool isReserved(std::string_view name) {
  for (std::string_view word : {"ceildiv", "min", "max"})
    if (name == word) return true;
  for (size_t i = 0; i < kMaxRank; ++i)
    if (name == strideName(i)) return true;
  return std::find(std::begin(kDeviceFacts), std::end(kDeviceFacts), name) != std::end(kDeviceFacts);
}

class KernelReader {
public:
  KernelAbi read(const Member &in) {
    kernel_.name = in["name"].nonEmpty();
    const Member operation = in["operation"];
    kernel_.operation = {operation["name"].nonEmpty(), operation["attributes"].stringMap(),
                         operation["prologue"].boolean()};
    readDimensions(in["dimensions"]);
    readWork(in["work"]);
    readArguments(in["arguments"]);
    for (const Member &variant : in["variants"].elements(1, kMaxVariants))
      kernel_.variants.push_back(readVariant(variant));
    return std::move(kernel_);
  }

private:
  void readDimensions(const Member &in) {
    for (const Member &dimension : in.elements(0, kMaxDimensions)) {
      const std::string &name = dimension.string();
      if (!isName(name) || isReserved(name)) dimension.fail("an identifier that expressions do not know");
      if (std::find(kernel_.dimensions.begin(), kernel_.dimensions.end(), name) != kernel_.dimensions.end())
        dimension.fail("a name that is not taken");
      kernel_.dimensions.push_back(name);
    }
    launchNames_ = kernel_.dimensions;
    launchNames_.insert(launchNames_.end(), std::begin(kDeviceFacts), std::end(kDeviceFacts));
  }

  void readWork(const Member &in) {
    kernel_.work.bytesRead = in["bytes_read"].expression(kernel_.dimensions, true);
    kernel_.work.bytesWritten = in["bytes_written"].expression(kernel_.dimensions, true);
    if (const std::optional<Member> products = in.find("multiply_adds")) {
      kernel_.work.kind = (*products)["kind"].nonEmpty();
      kernel_.work.multiplyAdds = (*products)["count"].expression(kernel_.dimensions);
    }
  }

  void readArguments(const Member &in) {
    const std::vector<Member> members = in.elements(0, kMaxArguments);
    for (const Member &member : members) {
      const std::string &name = member["name"].nonEmpty();
      if (std::find(names_.begin(), names_.end(), name) != names_.end())
        member["name"].fail("a name that is not taken");
      names_.push_back(name);
    }
    for (const Member &member : members)
      kernel_.arguments.push_back(readArgument(member));
  }

  AbiArgument readArgument(const Member &in) const {
    AbiArgument argument;
    argument.name = in["name"].string();
    argument.kind = ArgumentKind(in["kind"].oneOf(kArgumentKindNames, "a kind"));
    static const std::vector<std::string> types = tensorTypes(), scalars = {"f32", "i32", "i64"};
    const std::vector<std::string> &allowed = argument.kind == ArgumentKind::Scalar ? scalars : types;
    argument.type = allowed[in["type"].oneOf(allowed, "a type")];
    const size_t access = in["access"].oneOf(kAccessNames, "an access");
    argument.isOutput = access == 1 || access == 2, argument.isRead = access == 2;
    argument.isConstant = access == 3;
    argument.layout = ArgumentLayout(in["layout"].oneOf(kLayoutNames, "a layout"));
    argument.role = ArgumentRole(in["role"].oneOf(kRoleNames, "a role"));
    if (const std::optional<Member> of = in.find("of"))
      argument.of = names_[of->oneOf(names_, "an argument")];
    if (const std::optional<Member> number = in.find("number"))
      argument.number = uint32_t(number->integer(0, kMaxArguments));
    if (argument.role == ArgumentRole::Ends) argument.groupRows = in["group_rows"].powerOfTwo(1 << 20);
    if (const std::optional<Member> dimension = in.find("group_dimension"))
      argument.groupDimension = uint32_t(dimension->integer(0, kMaxRank - 1));
    argument.alignment = in["alignment"].powerOfTwo(1 << 20);
    for (const Member &size : in["shape"].elements(0, argument.isTensor() ? kMaxRank : 0))
      argument.shape.push_back(size.expression(kernel_.dimensions));
    if (const std::optional<Member> strides = in.find("strides"))
      for (const Member &stride : strides->elements(argument.rank(), argument.rank()))
        argument.strides.push_back(readStride(stride));
    if (!argument.isTensor() && access != 0) in["access"].fail("in");
    if (argument.kind == ArgumentKind::Workspace) {
      if (argument.type != "u8") in["type"].fail("u8 for a workspace");
      argument.bytes = in["bytes"].expression(launchNames_);
      argument.zeroing = WorkspaceZeroing(in["zeroed"].oneOf(kZeroingNames, "a zeroing"));
    }
    checkLayout(in, argument);
    return argument;
  }

  AbiStride readStride(const Member &in) const {
    if (in.isNull()) return {};
    if (in.string() == "?") return AbiStride::free();
    return AbiStride::fixed(in.expression(kernel_.dimensions));
  }

  static void checkLayout(const Member &in, const AbiArgument &argument) {
    if (argument.layout == ArgumentLayout::RowMajor) return;
    if (argument.role != ArgumentRole::Scales) in["layout"].fail("row_major for what is not scales");
    if (argument.rank() < 2) in["shape"].fail("rows and blocks of scales");
    if (!argument.strides.empty()) in["strides"].fail("none for a layout of scales");
  }

  const AbiArgument &argumentOf(const Member &in) const {
    return kernel_.arguments[in.oneOf(names_, "an argument")];
  }

  AbiVariant readVariant(const Member &in) const {
    AbiVariant variant;
    const std::vector<Member> launches = in["launches"].elements(1, kMaxLaunches);
    static_cast<AbiLaunch &>(variant) = readLaunch(launches.front());
    for (size_t i = 1; i < launches.size(); ++i)
      variant.following.push_back(readLaunch(launches[i]));
    variant.tile = in["tile"].string();
    variant.when = in["when"].expression(launchNames_, true);
    for (const Member &alignment : in["alignments"].elements(0, kMaxArguments)) {
      const AbiArgument &argument = argumentOf(alignment["argument"]);
      if (!argument.isTensor()) alignment["argument"].fail("a tensor");
      variant.alignments.push_back({argument.name, alignment["bytes"].powerOfTwo(1 << 20)});
    }
    return variant;
  }

  AbiLaunch readLaunch(const Member &in) const {
    AbiLaunch launch;
    launch.entry = in["entry"].nonEmpty();
    const std::vector<Member> grid = in["grid"].elements(3, 3);
    for (size_t i = 0; i < 3; ++i)
      launch.grid[i] = grid[i].expression(launchNames_, true);
    in["block"].sizes(launch.block, 1024);
    in["cluster"].sizes(launch.cluster, 16);
    launch.sharedBytes = uint32_t(in["shared_bytes"].integer(0, 1 << 20));
    for (const Member &parameter : in["parameters"].elements(0, kMaxParameters))
      launch.parameters.push_back(readParameter(parameter));
    if (const auto columns = in.find("tensor_columns"))
      launch.tensorColumns = uint32_t(columns->integer(1, 1 << 16));
    if (const auto regions = in.find("shared_regions"))
      launch.sharedRegions = readRegions(*regions, launch.sharedBytes);
    if (const auto regions = in.find("tensor_regions"))
      launch.tensorRegions = readRegions(*regions, launch.tensorColumns);
    if (const auto roles = in.find("roles"))
      for (const Member &role : roles->elements(1, kMaxRoles))
        launch.roles.push_back({role["name"].nonEmpty(), uint32_t(role["first_warp"].integer(0, 31)),
                                uint32_t(role["warps"].integer(1, 32))});
    return launch;
  }

  /// Parts of a memory of `size`.
  static std::vector<AbiRegion> readRegions(const Member &in, uint32_t size) {
    std::vector<AbiRegion> regions;
    for (const Member &member : in.elements(1, kMaxRegions)) {
      AbiRegion region;
      region.name = member["name"].nonEmpty();
      region.offset = uint32_t(member["offset"].integer(0, size));
      region.size = uint32_t(member["size"].integer(1, size - region.offset));
      region.stages = uint32_t(member["stages"].integer(1, region.size));
      const uint32_t most = region.stages > 1 ? (region.size - 1) / (region.stages - 1) : region.size;
      region.pitch = uint32_t(member["pitch"].integer(1, most));
      regions.push_back(std::move(region));
    }
    return regions;
  }

  AbiParameter readParameter(const Member &in) const {
    using Kind = AbiParameter::Kind;
    AbiParameter parameter{};
    parameter.kind = Kind(in["kind"].oneOf(kParameterNames, "a kind"));
    if (parameter.kind == Kind::Dimension) {
      parameter.name = kernel_.dimensions[in["name"].oneOf(kernel_.dimensions, "a dimension")];
      return parameter;
    }
    const AbiArgument &argument = argumentOf(in["name"]);
    parameter.name = argument.name;
    if (parameter.kind == Kind::Scalar && argument.kind != ArgumentKind::Scalar) in["name"].fail("a scalar");
    if (parameter.kind != Kind::Scalar && argument.kind == ArgumentKind::Scalar)
      in["name"].fail("a tensor or workspace");
    if (parameter.kind == Kind::Stride) {
      if (argument.rank() == 0) in["name"].fail("a tensor with dimensions");
      parameter.dimension = uint32_t(in["dimension"].integer(0, int64_t(argument.rank()) - 1));
    }
    if (parameter.kind == Kind::TensorMap) parameter.tensorMap = readTensorMap(in["tensor_map"]);
    return parameter;
  }

  TensorMapRecipe readTensorMap(const Member &in) const {
    TensorMapRecipe map;
    const AbiArgument &argument = argumentOf(in["argument"]);
    if (argument.kind == ArgumentKind::Scalar) in["argument"].fail("a tensor or workspace");
    map.argument = argument.name;
    std::vector<std::string> names = launchNames_;
    for (size_t i = 0; i < argument.rank(); ++i)
      names.push_back(strideName(i));
    map.offset = in["offset"].expression(names, true);
    map.type = TensorMapType(in["type"].oneOf(kMapTypeNames, "a type"));
    for (const Member &size : in["sizes"].elements(1, kMaxRank))
      map.sizes.push_back(size.expression(names));
    const size_t rank = map.sizes.size();
    for (const Member &stride : in["strides"].elements(rank - 1, rank - 1))
      map.strides.push_back(stride.expression(names));
    for (const Member &extent : in["box"].elements(rank, rank))
      map.box.push_back(uint32_t(extent.integer(1, 256)));
    for (const Member &step : in["element_strides"].elements(rank, rank))
      map.elementStrides.push_back(uint32_t(step.integer(1, 8)));
    map.swizzle = TensorMapSwizzle(in["swizzle"].oneOf(kMapSwizzleNames, "a swizzle"));
    map.promotion = TensorMapPromotion(in["promotion"].oneOf(kMapPromotionNames, "a promotion"));
    map.fill = TensorMapFill(in["fill"].oneOf(kMapFillNames, "a fill"));
    return map;
  }

  KernelAbi kernel_;
  std::vector<std::string> names_;       // the arguments'
  std::vector<std::string> launchNames_; // dimensions and device facts
};

} // namespace

ModuleAbi abiFromJson(std::string_view text) {
  // Printing a value is recursive: hostile nesting must not overflow the stack.
  const auto limitDepth = [](int depth, Json::parse_event_t, Json &) {
    if (depth > kMaxDepth) throw Error(ErrorKind::InvalidInput, "kernel ABI: JSON nested too deeply");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, limitDepth);
  } catch (const Json::exception &error) {
    throw Error(ErrorKind::InvalidInput, std::string("kernel ABI: not JSON: ") + error.what());
  }
  const Member root(json, "root");
  ModuleAbi abi;
  if (const int64_t version = root["version"].integer(0, 1 << 20); version != ModuleAbi::kVersion)
    throw Error(ErrorKind::InvalidInput, "kernel ABI: " + versionMismatch(std::to_string(version)));
  abi.compilerVersion = root["compiler_version"].string();
  abi.numericsVersion = int(root["numerics_version"].integer(0, 1 << 20));
  abi.target = root["target"].nonEmpty();
  for (const Member &kernel : root["kernels"].elements(0, kMaxKernels))
    abi.kernels.push_back(KernelReader().read(kernel));
  return abi;
}

} // namespace mxc
