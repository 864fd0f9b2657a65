#include "x11/process_name.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace eyehand::winio::x11 {

std::string process_name(std::uint32_t process_id) {
    const std::filesystem::path process =
        std::filesystem::path("/proc") / std::to_string(process_id);
    std::error_code secret;
    const auto program = std::filesystem::read_symlink(process / "exe", secret);
    if (!secret) {
        const std::string name = program.filename().string();
        constexpr std::string_view deleted =
            " (deleted)"; // the kernel's suffix for a file that an update replaced
        return name.ends_with(deleted) ? name.substr(0, name.size() - deleted.size()) : name;
    }
    std::ifstream file(process / "comm");
    std::string name;
    std::getline(file, name);
    return name;
}

std::string machine_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace eyehand::winio::x11
