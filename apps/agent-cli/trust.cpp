// agent-cli trust [FILE]
#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"
#include "trusted_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

const char* state_of(const TrustedFile& file, const TrustedFiles& list) {
    try {
        const auto text = read_settings_file(file.path);
        if (!text) return "missing";
        return list.trust_of(path_of(file.path), *text) == FileTrust::trusted ? "trusted"
                                                                              : "changed";
    } catch (const UsageError&) {
        return "unreadable";
    }
}

ExitCode list_files() {
    const TrustedFiles list = TrustedFiles::load();
    for (const TrustedFile& file : list.all())
        print_to(stdout, fmt::format("{:<10}  {}  {}\n", state_of(file, list),
                                     one_line(file.sha256), one_line(file.path)));
    if (list.all().empty()) print_to(stderr, "no file is trusted\n");
    return ExitCode::completed;
}

ExitCode revoke(const std::string& file) {
    TrustedFiles list = TrustedFiles::load();
    const std::string name = trusted_name(path_of(file));
    if (!list.remove(path_of(file)))
        throw UsageError(
            fmt::format("{} is not a trusted file; agent-cli trust --list lists them", name));
    list.save();
    print_to(stdout, "no longer trusted: " + one_line(name) + "\n");
    return ExitCode::completed;
}

/// The settings that have an effect only because the file is trusted.
std::string restricted_settings(const std::vector<session::ConfigEntry>& entries) {
    std::string all;
    for (const session::ConfigEntry& entry : entries) {
        if (entry.setting->trust != agent::SettingTrust::required) continue;
        all += fmt::format("  {:<20} {}\n", entry.setting->name, one_line(shown_value(entry)));
    }
    return all;
}

ExitCode trust(const std::string& file) {
    const auto text = read_settings_file(file);
    if (!text) throw UsageError(fmt::format("{} cannot be read; check the file name", file));
    const auto entries = session::parse_config(*text, file, setting_registry());
    TrustedFiles list = TrustedFiles::load();
    list.add(path_of(file), *text);
    list.save();
    print_to(stdout, fmt::format("trusted until it changes: {}\n{}",
                                 one_line(list.all().back().path), restricted_settings(entries)));
    return ExitCode::completed;
}

} // namespace

ExitCode trust_file(const TrustFlags& flags) {
    if (flags.list) return list_files();
    return flags.revoke ? revoke(flags.file) : trust(flags.file);
}

} // namespace eyehand::cli
