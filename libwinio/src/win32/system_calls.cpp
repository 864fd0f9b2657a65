#include "win32/system_calls.hpp"

#include "win32/handles.hpp"

#include <array>
#include <cstddef>

namespace winio::win32 {
namespace {

std::optional<DWORD> integrity_of(HANDLE process) {
    HANDLE opened = nullptr;
    if (OpenProcessToken(process, TOKEN_QUERY, &opened) == 0) return std::nullopt;
    const KernelObject token(opened);
    // A label with its SID: a SID has at most SECURITY_MAX_SID_SIZE bytes.
    alignas(TOKEN_MANDATORY_LABEL)
        std::array<std::byte, sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE>
            buffer{};
    DWORD length = 0;
    if (GetTokenInformation(token.get(), TokenIntegrityLevel, buffer.data(),
                            static_cast<DWORD>(buffer.size()), &length) == 0)
        return std::nullopt;
    const auto* label = reinterpret_cast<const TOKEN_MANDATORY_LABEL*>(buffer.data());
    const auto parts = *GetSidSubAuthorityCount(label->Label.Sid);
    if (parts == 0) return std::nullopt;
    return *GetSidSubAuthority(label->Label.Sid, parts - 1U);
}

BOOL CALLBACK collect_monitor(HMONITOR monitor, HDC, LPRECT, LPARAM into) {
    reinterpret_cast<std::vector<HMONITOR>*>(into)->push_back(monitor);
    return TRUE;
}

} // namespace

std::optional<DWORD> integrity_of_window(HWND window) {
    DWORD process_id = 0;
    if (GetWindowThreadProcessId(window, &process_id) == 0) return std::nullopt;
    const KernelObject process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process_id));
    if (process) {
        if (const auto level = integrity_of(process.get())) return level;
    }
    // Who may not even look at a process or its token stands below it.
    if (GetLastError() == ERROR_ACCESS_DENIED) return DWORD{SECURITY_MANDATORY_HIGH_RID};
    return std::nullopt;
}

std::optional<DWORD> integrity_of_this_process() { return integrity_of(GetCurrentProcess()); }

std::vector<HMONITOR> monitors() {
    std::vector<HMONITOR> found;
    EnumDisplayMonitors(nullptr, nullptr, collect_monitor, reinterpret_cast<LPARAM>(&found));
    return found;
}

} // namespace winio::win32
