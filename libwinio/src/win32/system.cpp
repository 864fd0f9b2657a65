#include "eyehand/winio/system.hpp"

#include "eyehand/base/utf16.hpp"
#include "eyehand/base/utf8.hpp"
#include "win32/handles.hpp"

#include <windows.h>
// After <windows.h>, which it needs.
#include <tlhelp32.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace eyehand::winio {
namespace {

struct SnapshotKind {
    using Type = HANDLE;
    static Type none() { return INVALID_HANDLE_VALUE; }
    static void close(HANDLE snapshot) { CloseHandle(snapshot); }
};
using Snapshot = win32::Handle<SnapshotKind>;

bool is_text(std::string_view text) {
    return !base::utf8::first_invalid(text) && text.find('\0') == std::string_view::npos;
}

/// The root that the key's first part names, or nullptr, and the remaining parts.
std::pair<HKEY, std::wstring> split(std::string_view key) {
    const std::size_t end = std::min(key.find('\\'), key.size());
    const std::string_view root = key.substr(0, end);
    const std::wstring rest =
        end == key.size() ? std::wstring() : base::to_wide(key.substr(end + 1));
    if (root == "HKCU" || root == "HKEY_CURRENT_USER") return {HKEY_CURRENT_USER, rest};
    if (root == "HKLM" || root == "HKEY_LOCAL_MACHINE") return {HKEY_LOCAL_MACHINE, rest};
    if (root == "HKCR" || root == "HKEY_CLASSES_ROOT") return {HKEY_CLASSES_ROOT, rest};
    if (root == "HKU" || root == "HKEY_USERS") return {HKEY_USERS, rest};
    return {nullptr, rest};
}

} // namespace

std::vector<std::string> running_programs() {
    std::vector<std::string> names;
    const Snapshot all(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
    if (!all) return names;
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    for (BOOL more = Process32FirstW(all.get(), &entry); more != 0;
         more = Process32NextW(all.get(), &entry))
        // Under Wine, a process that has just been started has no name yet.
        if (entry.szExeFile[0] != L'\0') names.push_back(base::to_utf8(entry.szExeFile));
    return names;
}

std::vector<std::uint32_t> own_processes() {
    std::map<DWORD, DWORD> parents;
    const Snapshot all(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    for (BOOL more = all ? Process32FirstW(all.get(), &entry) : FALSE; more != 0;
         more = Process32NextW(all.get(), &entry))
        parents.emplace(entry.th32ProcessID, entry.th32ParentProcessID);
    std::vector<std::uint32_t> ids;
    DWORD process = GetCurrentProcessId();
    // The id of a parent that has ended may be in use again, so that the chain has no end.
    while (process != 0 &&
           std::ranges::find(ids, static_cast<std::uint32_t>(process)) == ids.end()) {
        ids.push_back(static_cast<std::uint32_t>(process));
        const auto parent = parents.find(process);
        process = parent == parents.end() ? 0 : parent->second;
    }
    return ids;
}

bool has_registry() noexcept { return true; }

std::optional<std::string> registry_value(std::string_view key, std::string_view value) {
    if (!is_text(key) || !is_text(value)) return std::nullopt;
    const auto [root, path] = split(key);
    if (root == nullptr) return std::nullopt;
    const std::wstring name = base::to_wide(value);
    DWORD type = 0;
    DWORD bytes = 0;
    constexpr DWORD kinds = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_RT_REG_DWORD;
    if (RegGetValueW(root, path.c_str(), name.c_str(), kinds | RRF_NOEXPAND, &type, nullptr,
                     &bytes) != ERROR_SUCCESS)
        return std::nullopt;
    if (type == REG_DWORD) {
        DWORD number = 0;
        bytes = sizeof number;
        if (RegGetValueW(root, path.c_str(), name.c_str(), RRF_RT_REG_DWORD, nullptr, &number,
                         &bytes) != ERROR_SUCCESS)
            return std::nullopt;
        return std::to_string(number);
    }
    std::wstring units(bytes / sizeof(wchar_t) + 1, L'\0');
    bytes = static_cast<DWORD>(units.size() * sizeof(wchar_t));
    if (RegGetValueW(root, path.c_str(), name.c_str(), kinds | RRF_NOEXPAND, nullptr, units.data(),
                     &bytes) != ERROR_SUCCESS)
        return std::nullopt;
    return base::to_utf8(units.c_str());
}

} // namespace eyehand::winio
