// Default implementations for back-ends, and `open_desktop`.
#include "eyehand/winio/desktop.hpp"

#include <string>
#include <utility>

namespace eyehand::winio {
namespace {

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return text;
}

[[noreturn]] void fail_without_backend() {
    throw Error(errc::not_supported,
                "this program contains no desktop back-end: libwinio has one for Windows, and one "
                "for X11 unless it was built with EYEHAND_X11=OFF; a program adds its own with "
                "BackendRegistry::add");
}

std::unique_ptr<Desktop> open_backend(const std::string& name,
                                      const BackendRegistry::Factory& factory,
                                      const DesktopOptions& options) {
    auto desktop = factory(options);
    if (!desktop)
        throw Error(errc::not_supported,
                    "the factory of the desktop back-end \"" + name + "\" returned no desktop");
    return desktop;
}

std::unique_ptr<Desktop> open_first(const std::vector<std::string>& names,
                                    const DesktopOptions& options,
                                    const BackendRegistry& registry) {
    if (names.size() == 1)
        return open_backend(names.front(), *registry.find(names.front()), options);
    std::vector<std::pair<std::string, Error>> failures;
    for (const std::string& name : names) {
        try {
            return open_backend(name, *registry.find(name), options);
        } catch (const Error& error) {
            failures.emplace_back(name, error);
        }
    }
    std::string text = "no desktop back-end can be opened";
    for (const auto& [name, error] : failures)
        text += (&name == &failures.front().first ? ": \"" : "; \"") + name + "\": " + error.what();
    throw Error(failures.front().second.code(), text);
}

} // namespace

std::string_view to_string(WindowState state) noexcept {
    switch (state) {
    case WindowState::minimized:
        return "minimized";
    case WindowState::maximized:
        return "maximized";
    case WindowState::normal:
        break;
    }
    return "normal";
}

// NOLINTBEGIN(performance-unnecessary-value-param): the back-ends keep the function
std::unique_ptr<UserWatch> Desktop::watch_user(const UserWatchOptions& /*options*/,
                                               std::function<void(UserSignal)> /*call*/) {
    throw Error(errc::not_supported, "this desktop back-end cannot watch the user's input");
}
// NOLINTEND(performance-unnecessary-value-param)

void Desktop::launch(const LaunchCommand& /*command*/) {
    throw Error(
        errc::not_supported,
        "this desktop cannot start programs; start the program in another way, or implement "
        "Desktop::launch in the back-end");
}

// Windows and Wine use 500 ms by default, GTK and Qt 400, xterm 250.
std::chrono::milliseconds Desktop::double_click_time() { return std::chrono::milliseconds{500}; }

std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options,
                                      const BackendRegistry& registry) {
    const std::vector<std::string> names = registry.names();
    if (names.empty()) fail_without_backend();
    if (options.backend.empty()) return open_first(names, options, registry);
    const BackendRegistry::Factory* factory = registry.find(options.backend);
    if (factory == nullptr)
        throw Error(errc::not_supported, "unknown desktop back-end \"" + options.backend +
                                             "\"; this program has: " + list_of(names));
    return open_backend(options.backend, *factory, options);
}

} // namespace eyehand::winio
