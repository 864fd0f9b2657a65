#include "eyehand/winio/system.hpp"

#include <unistd.h>

#include <cstdlib>
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

namespace {

/// More than any chain of processes; a chain that changes meanwhile could have no end.
constexpr std::size_t max_ancestors = 64;

/// 0 if it is unknown.
std::uint32_t parent_of(std::uint32_t process) {
    std::ifstream in(std::filesystem::path("/proc") / std::to_string(process) / "status");
    for (std::string line; std::getline(in, line);) {
        constexpr std::string_view name = "PPid:";
        if (line.starts_with(name))
            return static_cast<std::uint32_t>(
                std::strtoul(line.c_str() + name.size(), nullptr, 10));
    }
    return 0;
}

} // namespace

std::vector<std::uint32_t> own_processes() {
    std::vector<std::uint32_t> ids;
    auto process = static_cast<std::uint32_t>(getpid());
    for (; process != 0 && ids.size() < max_ancestors; process = parent_of(process))
        ids.push_back(process);
    return ids;
}

bool has_registry() noexcept { return false; }

std::optional<std::string> registry_value(std::string_view /*key*/, std::string_view /*value*/) {
    return std::nullopt;
}

} // namespace eyehand::winio
