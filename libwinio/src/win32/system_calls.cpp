#include "win32/system_calls.hpp"

#include "win32/handles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace winio::win32 {
namespace {

KernelObject token_of(HANDLE process) {
    HANDLE token = nullptr;
    return OpenProcessToken(process, TOKEN_QUERY, &token) != 0 ? KernelObject(token)
                                                               : KernelObject();
}

std::optional<DWORD> level_of(const KernelObject& token) {
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

bool may_work_elevated_windows(const KernelObject& token) {
    DWORD ui_access = 0;
    DWORD length = 0;
    return GetTokenInformation(token.get(), TokenUIAccess, &ui_access, sizeof ui_access, &length) !=
               0 &&
           ui_access != 0;
}

BOOL CALLBACK collect_monitor(HMONITOR monitor, HDC, LPRECT, LPARAM into) {
    reinterpret_cast<std::vector<HMONITOR>*>(into)->push_back(monitor);
    return TRUE;
}

} // namespace

std::optional<DWORD> integrity_of_window(HWND window) {
    DWORD process_id = 0;
    if (GetWindowThreadProcessId(window, &process_id) == 0) return std::nullopt;
    // Denied is the process of another user or a protected one such as csrss.exe: that says nothing
    // about input. Of an elevated process of the same user only the token cannot be opened.
    const KernelObject process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process_id));
    if (!process) return std::nullopt;
    const KernelObject token = token_of(process.get());
    if (token) return level_of(token);
    if (GetLastError() == ERROR_ACCESS_DENIED) return DWORD{SECURITY_MANDATORY_HIGH_RID};
    return std::nullopt;
}

std::optional<DWORD> integrity_of_this_process() {
    const KernelObject token = token_of(GetCurrentProcess());
    const auto level = level_of(token);
    // Accessibility programs with UIAccess in their manifest reach elevated windows from below.
    if (level && may_work_elevated_windows(token))
        return std::max(*level, DWORD{SECURITY_MANDATORY_HIGH_RID});
    return level;
}

std::vector<HMONITOR> monitors() {
    std::vector<HMONITOR> found;
    EnumDisplayMonitors(nullptr, nullptr, collect_monitor, reinterpret_cast<LPARAM>(&found));
    return found;
}

} // namespace winio::win32
