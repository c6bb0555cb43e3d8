// What an assembler gives back, which is a stranger's: read before it is believed.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// Why these bytes are not the machine code of the kernels in `ptx`, with the ABI record (the bytes of
/// `__mxc_abi`, "" for none): "its section 3 .. goes beyond the 1024 that there are", "it has no code of
/// entry 'k'". "": they are a whole cubin with both. Any bytes are safe to pass.
std::string faultOfCubin(std::string_view cubin, std::string_view ptx, std::string_view record);

/// Why an image that mxc made earlier is not whole: a cubin with some kernel's code, a fatbin or PTX text.
/// "": it is. Any bytes are safe to pass.
std::string faultOfCode(std::string_view image);
/// The same of one with an ABI record.
std::string faultOfImage(std::string_view image);

} // namespace mxc
