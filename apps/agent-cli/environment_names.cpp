#include "environment_names.hpp"

#include <string_view>

#ifdef _WIN32
#include <windows.h>

#include <memory>
#else
#include <unistd.h>
#endif

namespace eyehand::cli {
namespace {

constexpr std::string_view prefix = "EYEHAND_";

} // namespace

#ifdef _WIN32

std::vector<std::string> environment_names() {
    const std::unique_ptr<wchar_t, decltype(&FreeEnvironmentStringsW)> all(
        GetEnvironmentStringsW(), &FreeEnvironmentStringsW);
    std::vector<std::string> names;
    if (!all) return names;
    for (const wchar_t* entry = all.get(); *entry != L'\0';) {
        std::wstring_view rest(entry);
        entry += rest.size() + 1;
        rest = rest.substr(0, rest.find(L'='));
        // Names of settings are ASCII. A name with another character does not match any of them.
        std::string name;
        for (const wchar_t unit : rest) name += unit < 0x80 ? static_cast<char>(unit) : '?';
        if (name.starts_with(prefix)) names.push_back(std::move(name));
    }
    return names;
}

#else

std::vector<std::string> environment_names() {
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view name =
            std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
        if (name.starts_with(prefix)) names.emplace_back(name);
    }
    return names;
}

#endif

} // namespace eyehand::cli
