// The desktop back-ends of a program, by name. `open_desktop` (desktop.hpp) opens one of them.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

class Desktop;

/// Selects the desktop that `open_desktop` opens.
struct DesktopOptions {
    std::string backend{}; ///< a name of the registry; empty: the first back-end that opens
    /// The name of an X11 display, such as ":1". `Desktop::launch` starts programs on it, too.
    /// Empty: the display that the environment variable DISPLAY names. Win32 ignores this member.
    std::string display{};
    /// A program with its arguments that calls `serve_watchdog` (watchdog.hpp): if this program ends or
    /// hangs, it releases the keys and buttons that the desktop has pressed. It is started with the
    /// desktop and ends with it. Empty: no watchdog. The built-in back-ends support it.
    std::vector<std::string> watchdog{};
};

/// Desktop back-ends by name: an ordinary value, which the program passes to `open_desktop`. It has
/// no global state. Threads can share a registry that does not change.
///
///     auto registry = BackendRegistry::built_in();
///     registry.add("vnc", [host](const DesktopOptions&) { return std::make_unique<VncDesktop>(host); });
///     const auto desktop = open_desktop({.backend = "vnc"}, registry);
class EYEHAND_WINIO_API BackendRegistry {
public:
    /// Opens a desktop, never returns nullptr. Throws Error{no_display} if the session has no
    /// display for this back-end, Error{not_supported} if the system lacks a requirement of the
    /// back-end. `open_desktop` calls it on the caller's thread.
    using Factory = std::function<std::unique_ptr<Desktop>(const DesktopOptions& options)>;

    /// Contains no back-end.
    BackendRegistry() = default;
    /// The back-ends that this build of libwinio contains: "win32" on Windows; elsewhere "x11",
    /// unless the CMake option EYEHAND_X11 is off.
    [[nodiscard]] static BackendRegistry built_in();

    /// Appends a back-end. Without a name in `DesktopOptions`, `open_desktop` tries the back-ends in
    /// the order in which they were added. Throws std::invalid_argument for an empty name, a name
    /// that is registered already, and an empty factory.
    void add(std::string name, Factory factory);
    /// In the order in which they were added.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The factory of the back-end with this name, or nullptr. Valid until the registry changes.
    [[nodiscard]] const Factory* find(std::string_view name) const noexcept;

private:
    struct Backend {
        std::string name;
        Factory factory;
    };
    std::vector<Backend> backends_;
};

} // namespace eyehand::winio
