#include "eyehand/winio/system.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace eyehand::winio {

std::vector<std::string> running_programs() {
    // The first word of the command has the complete name, which "comm" truncates. For Windows
    // programs, Wine writes their path there.
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
         it.increment(error)) {
        const std::string process = it->path().filename().string();
        if (process.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream in(it->path() / "cmdline", std::ios::binary);
        std::string program;
        std::getline(in, program, '\0');
        const std::size_t slash = program.find_last_of("/\\");
        if (slash != std::string::npos) program.erase(0, slash + 1);
        if (!program.empty()) names.push_back(std::move(program));
    }
    return names;
}

bool has_registry() noexcept { return false; }

std::optional<std::string> registry_value(std::string_view /*key*/, std::string_view /*value*/) {
    return std::nullopt;
}

} // namespace eyehand::winio
