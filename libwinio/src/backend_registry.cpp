#include "eyehand/winio/backend_registry.hpp"

#include "eyehand/winio/desktop.hpp"

#ifdef EYEHAND_BACKEND_WIN32
#include "win32/open_desktop.hpp"
#endif
#ifdef EYEHAND_BACKEND_X11
#include "x11/open_desktop.hpp"
#endif

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eyehand::winio {

// One line for each back-end, the best one first.
BackendRegistry BackendRegistry::built_in() {
    BackendRegistry registry;
#ifdef EYEHAND_BACKEND_WIN32
    registry.add("win32", win32::open_desktop);
#endif
#ifdef EYEHAND_BACKEND_X11
    registry.add("x11", x11::open_desktop);
#endif
    return registry;
}

void BackendRegistry::add(std::string name, Factory factory) {
    if (name.empty()) throw std::invalid_argument("a desktop back-end needs a name");
    if (!factory)
        throw std::invalid_argument("the desktop back-end \"" + name + "\" has no factory");
    if (find(name) != nullptr)
        throw std::invalid_argument("the desktop back-end \"" + name + "\" is registered already");
    backends_.push_back({std::move(name), std::move(factory)});
}

std::vector<std::string> BackendRegistry::names() const {
    std::vector<std::string> names;
    names.reserve(backends_.size());
    for (const Backend& backend : backends_) names.push_back(backend.name);
    return names;
}

const BackendRegistry::Factory* BackendRegistry::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(backends_, name, &Backend::name);
    return found == backends_.end() ? nullptr : &found->factory;
}

} // namespace eyehand::winio
