// The program name and the rights of a process, and the name of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace eyehand::winio::x11 {

/// The file name of the program, or the name of the process if the file may not be read; empty if
/// the process does not exist.
[[nodiscard]] std::string process_name(std::uint32_t process_id);
/// Whether the process has more rights than this one: root's, as set with sudo or pkexec.
[[nodiscard]] bool has_higher_rights(std::uint32_t process_id);
/// The value of WM_CLIENT_MACHINE for programs on this machine.
[[nodiscard]] std::string machine_name();

} // namespace eyehand::winio::x11
