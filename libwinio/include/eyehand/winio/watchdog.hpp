// A helper process that releases keys and buttons, and restores the clipboard, if the program that
// changed them no longer can.
//
//     // The program starts itself a second time, as its own watchdog.
//     int main(int argc, char** argv) {
//         if (argc == 2 && std::string_view(argv[1]) == "watchdog") {
//             eyehand::winio::serve_watchdog();
//             return 0;
//         }
//         const auto desktop = eyehand::winio::open_desktop({.watchdog = {argv[0], "watchdog"}});
//     }
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"

namespace eyehand::winio {

/// Works for the desktop of the process that started this one because of
/// `DesktopOptions::watchdog`, and returns after that desktop is closed or that process has ended.
///
/// Releases the keys and buttons that the other process has pressed and not released, and restores the
/// text (of at most 1 MiB) that was on the clipboard before a paste,
/// - at once, if it has ended (it crashed or was killed);
/// - 400 ms after its latest heartbeat, if it was stopped or hangs: `InputExecutor` sends one
///   every 50 ms while it holds something (`Desktop::renew_hold`). Later on a machine that is so busy
///   that this process does not run every 20 ms, either.
/// In the second case, the other process is told: its next input fails with `interrupted`.
/// On Windows, a process of its own also watches the user for `Desktop::watch_user`.
/// On X11, a program serves what it has copied: with a restored text, this function only returns
/// after another program has copied something.
///
/// Reads standard input and writes standard output, which must be the connection to that process,
/// and nothing else in this process may use them. Ignores SIGINT, SIGTERM and SIGHUP from then on:
/// it ends with the other process. While it only serves a restored text, they end it.
/// Throws Error{no_display} and Error{not_supported} if input cannot be sent to the desktop, and
/// std::runtime_error if the other end sends something else.
EYEHAND_WINIO_API void serve_watchdog();

} // namespace eyehand::winio
