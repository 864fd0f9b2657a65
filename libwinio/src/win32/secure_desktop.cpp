#include "win32/secure_desktop.hpp"

#include "win32/handles.hpp"

namespace eyehand::winio::win32 {
namespace {

// The lock screen, sign-in and prompts for administrator rights are on a separate desktop, to which
// other programs have no access.
bool secure_desktop_is_shown(const SystemCalls& system) {
    const InputDesktop desktop(system.open_input_desktop(0, FALSE, DESKTOP_READOBJECTS));
    return !desktop && GetLastError() == ERROR_ACCESS_DENIED;
}

} // namespace

std::string likely_cause(const SystemCalls& system) {
    return secure_desktop_is_shown(system)
               ? "the lock screen or a prompt for administrator rights is shown, which no other "
                 "program can capture or control; wait until it is gone"
               : "is the session disconnected, or was it locked for a moment?";
}

} // namespace eyehand::winio::win32
