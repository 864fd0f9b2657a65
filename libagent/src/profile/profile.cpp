// The built-in profiles and the files of profiles.
#include "eyehand/agent/profile.hpp"

#include "base/nearest.hpp"
#include "base/path_text.hpp"
#include "embedded.hpp"
#include "eyehand/agent/error.hpp"
#include "profile/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <sstream>

namespace eyehand::agent {
namespace {

std::map<std::string, std::string> embedded(std::string_view profile) {
    std::map<std::string, std::string> files;
    for (const EmbeddedFile& file : embedded_profiles()) {
        if (file.folder == profile) files.emplace(file.name, file.text);
    }
    return files;
}

std::map<std::string, std::string> read_folder(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        if (!in) {
            throw Error(errc::bad_profile, fmt::format("{} cannot be read", text_of(entry.path())));
        }
        files.emplace(text_of(entry.path().filename()), std::move(text).str());
    }
    return files;
}

} // namespace

std::vector<std::string> profile_names() {
    std::set<std::string> names;
    for (const EmbeddedFile& file : embedded_profiles()) names.emplace(file.folder);
    return {names.begin(), names.end()};
}

std::map<std::string, std::string> profile_files(const std::string& name_or_folder) {
    if (auto built_in = embedded(name_or_folder); !built_in.empty()) return built_in;
    const std::filesystem::path folder = path_of(name_or_folder);
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / profile_file, error)) {
        const std::vector<std::string> names = profile_names();
        throw Error(errc::profile_not_found,
                    fmt::format("\"{}\" is neither a built-in profile ({}) nor a folder with {}{}",
                                name_or_folder, fmt::join(names, ", "), profile_file,
                                did_you_mean(name_or_folder, names)));
    }
    return read_folder(folder);
}

Profile load_profile(const std::string& name_or_folder, const ModeRegistry& modes) {
    return parse_profile(profile_files(name_or_folder), name_or_folder, modes);
}

SeveralCalls several_calls_of(const Profile& profile) {
    return profile.several_calls.value_or(profile.dialect == Dialect::native ? SeveralCalls::first
                                                                             : SeveralCalls::all);
}

bool looks_after_actions(const Profile& profile) {
    return profile.screenshot_after_actions.value_or(profile.dialect != Dialect::native);
}

void check_tools(const Profile& profile, const Toolbox& tools, const std::string& where) {
    const auto check = [&](const std::vector<ToolPresentation>& presentations,
                           const std::string& whose) {
        try {
            (void)tools.present(presentations);
        } catch (const Error& error) {
            throw Error(static_cast<errc>(error.code().value()),
                        fmt::format("{}: {}: {}", where, whose, error.what()));
        }
    };
    const std::vector<RolePlan> roles = mode_of(profile).roles(profile);
    for (const RolePlan& role : roles)
        check(role.tools, roles.size() == 1 ? "tools" : role.name + "'s tools");
    for (const std::string& name : profile.extra_tools)
        check({ToolPresentation{.tool = name}}, "extra_tools");
}

} // namespace eyehand::agent
