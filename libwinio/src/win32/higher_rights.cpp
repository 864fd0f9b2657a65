#include "win32/higher_rights.hpp"

#include "win32/system_text.hpp"

namespace eyehand::winio::win32 {

bool has_higher_rights(const SystemCalls& system, HWND window) {
    if (window == nullptr) return false;
    const auto ours = system.own_integrity();
    if (ours >= DWORD{SECURITY_MANDATORY_SYSTEM_RID}) return false;
    if (const auto theirs = system.integrity_of_window(window)) return ours && *theirs > *ours;
    return system.refuses_messages(window);
}

std::string higher_rights_problem(HWND window, std::string_view which) {
    std::string text = "the window \"" + title_of(GetAncestor(window, GA_ROOT)) + "\" ";
    if (!which.empty()) text.append(which).append(" ");
    return text + "runs with higher rights than this program, and Windows drops what is sent to "
                  "it: run this program as administrator too, or use another window";
}

} // namespace eyehand::winio::win32
