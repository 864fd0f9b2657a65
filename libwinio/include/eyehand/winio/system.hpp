// System state outside the desktop: running programs and the Windows registry. All functions exist
// on every platform, so that callers need no conditional compilation.
#pragma once

#include "eyehand/export.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// The file names of the running programs, without folders, UTF-8, one for each process and in no
/// particular order: "notepad.exe", "xterm". A Windows program that runs under Wine has its Windows
/// name. Does not contain processes that the system hides from this user; empty on a system that is
/// not Windows and has no /proc file system. Thread-safe.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::string> running_programs();

/// The ids of this process and its ancestors, the nearest first, as far as the system shows them.
/// Thread-safe.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::uint32_t> own_processes();

/// Whether the system has a registry: true on Windows.
[[nodiscard]] EYEHAND_WINIO_API bool has_registry() noexcept;

/// Returns a registry value as UTF-8 text: strings as they are stored (references to environment
/// variables are not expanded), 32-bit numbers in decimal. `key` begins with a root, in its long or
/// short form (HKEY_CURRENT_USER or HKCU, HKEY_LOCAL_MACHINE or HKLM, HKEY_CLASSES_ROOT or HKCR,
/// HKEY_USERS or HKU), and separates its parts by backslashes; an empty `value` is the key's
/// default value. Empty if the value does not exist, has another type or cannot be read, if a name
/// is not UTF-8 or has a NUL character, and on systems without a registry. Thread-safe.
///
///     registry_value("HKCU\\Control Panel\\Desktop", "LogPixels")
[[nodiscard]] EYEHAND_WINIO_API std::optional<std::string> registry_value(std::string_view key,
                                                                          std::string_view value);

} // namespace eyehand::winio
