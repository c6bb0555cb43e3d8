#include "runtime/simulator/ptx/SpecialRegisters.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {

constexpr std::string_view kVectors[] = {"tid",       "ntid",       "ctaid",         "nctaid",
                                         "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
constexpr std::string_view kScalars[] = {"laneid",
                                         "warpid",
                                         "nwarpid",
                                         "smid",
                                         "nsmid",
                                         "gridid",
                                         "cluster_ctarank",
                                         "cluster_nctarank",
                                         "lanemask_eq",
                                         "lanemask_le",
                                         "lanemask_lt",
                                         "lanemask_ge",
                                         "lanemask_gt",
                                         "clock",
                                         "clock_hi",
                                         "clock64",
                                         "globaltimer",
                                         "globaltimer_lo",
                                         "globaltimer_hi",
                                         "is_explicit_cluster",
                                         "total_smem_size",
                                         "aggr_smem_size",
                                         "dynamic_smem_size",
                                         "current_graph_exec",
                                         "reserved_smem_offset_begin",
                                         "reserved_smem_offset_end",
                                         "reserved_smem_offset_cap"};

struct Numbered {
  std::string_view prefix, suffix;
  unsigned count;
};
constexpr Numbered kNumbered[] = {
    {"envreg", "", 32}, {"pm", "", 8}, {"pm", "_64", 8}, {"reserved_smem_offset_", "", 2}};

bool isNumbered(std::string_view name, const Numbered &form) {
  if (!name.starts_with(form.prefix) || !name.ends_with(form.suffix)) return false;
  if (name.size() <= form.prefix.size() + form.suffix.size()) return false;
  name.remove_prefix(form.prefix.size());
  name.remove_suffix(form.suffix.size());
  if (name.size() > 2 || (name.size() == 2 && name[0] == '0')) return false;
  unsigned number = 0;
  for (char c : name) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + unsigned(c - '0');
  }
  return number < form.count;
}

} // namespace

SpecialRegister specialRegister(std::string_view name) {
  if (std::ranges::find(kVectors, name) != std::end(kVectors)) return SpecialRegister::Vector;
  if (std::ranges::find(kScalars, name) != std::end(kScalars)) return SpecialRegister::Scalar;
  const auto matches = [&](const Numbered &form) { return isNumbered(name, form); };
  return std::ranges::any_of(kNumbered, matches) ? SpecialRegister::Scalar : SpecialRegister::None;
}

} // namespace mxc::sim::ptx
