// Which program a process runs, and on which machine this one is.
#pragma once

#include <cstdint>
#include <string>

namespace eyehand::winio::x11 {

/// The file name of the program, or the process's own name where the file is secret; empty when
/// there is no such process.
[[nodiscard]] std::string process_name(std::uint32_t process_id);
/// What programs of this machine write into WM_CLIENT_MACHINE.
[[nodiscard]] std::string machine_name();

} // namespace eyehand::winio::x11
