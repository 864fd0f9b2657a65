// agent-cli profile list|show NAME|export NAME DIR
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/profile.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace eyehand::cli {
namespace {

/// Indents JSON text; the notation of its values stays the same.
std::string laid_out(std::string_view json) {
    constexpr std::size_t step = 2;
    std::string text;
    std::size_t depth = 0;
    bool in_text = false;
    const auto new_line = [&] { text.append("\n").append(depth * step, ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_text) {
            text += c;
            if (c == '\\' && i + 1 < json.size()) text += json[++i];
            in_text = c != '"';
        } else if (c == '{' || c == '[') {
            text += c;
            const bool empty = i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']');
            if (empty) {
                text += json[++i];
            } else {
                ++depth;
                new_line();
            }
        } else if (c == '}' || c == ']') {
            --depth;
            new_line();
            text += c;
        } else {
            text += c;
            if (c == ',') new_line();
            if (c == ':') text += ' ';
            in_text = c == '"';
        }
    }
    return text;
}

ExitCode list() {
    const std::vector<std::string> names = agent::profile_names();
    std::size_t width = 0;
    for (const std::string& name : names) width = std::max(width, name.size());
    for (const std::string& name : names) {
        const agent::Profile profile = agent::load_profile(name);
        print_to(stdout, fmt::format("{:<{}}  {:<12}  {}\n", name, width, profile.mode,
                                     profile.description));
    }
    return ExitCode::completed;
}

ExitCode show(const std::string& name) {
    print_to(stdout, laid_out(agent::to_json(load_checked_profile(name))) + "\n");
    return ExitCode::completed;
}

void write_new_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out)
        throw UsageError(fmt::format("{} cannot be written; check the permissions of its folder",
                                     text_of(file)));
}

/// Writes the files unchanged, so that the exported folder loads as the same profile.
ExitCode export_to(const std::string& name, const std::filesystem::path& folder) {
    const auto files = agent::profile_files(name);
    (void)agent::parse_profile(files, name); // throws if the profile does not load
    std::error_code error;
    if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error))
        throw UsageError(fmt::format("{} exists and is not empty, and profile export overwrites no "
                                     "files: name a new folder",
                                     text_of(folder)));
    std::filesystem::create_directories(folder, error);
    if (error)
        throw UsageError(fmt::format("{} cannot be created: {}", text_of(folder), error.message()));
    for (const auto& [file, text] : files) write_new_file(folder / path_of(file), text);
    print_to(stderr, fmt::format("{} files written; use them with --profile {}\n", files.size(),
                                 printable(text_of(folder))));
    return ExitCode::completed;
}

} // namespace

agent::Profile load_checked_profile(const std::string& name_or_folder) {
    agent::Profile profile = agent::load_profile(name_or_folder);
    agent::check_tools(profile, agent::built_in_tools(), name_or_folder + "/profile.json");
    return profile;
}

ExitCode profile_command(const ProfileFlags& flags) {
    if (flags.action == "show") return show(flags.name);
    if (flags.action == "export") return export_to(flags.name, path_of(flags.folder));
    return list();
}

} // namespace eyehand::cli
