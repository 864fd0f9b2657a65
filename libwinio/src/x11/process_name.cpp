#include "x11/process_name.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace eyehand::winio::x11 {
namespace {

std::filesystem::path folder_of(std::uint32_t process_id) {
    return std::filesystem::path("/proc") / std::to_string(process_id);
}

} // namespace

std::string process_name(std::uint32_t process_id) {
    const std::filesystem::path process = folder_of(process_id);
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

// The owner of the folder in /proc does not tell: it is root for some processes of the user, too
// (proc(5), PR_SET_DUMPABLE).
bool has_higher_rights(std::uint32_t process_id) {
    if (geteuid() == 0) return false;
    std::ifstream file(folder_of(process_id) / "status");
    for (std::string word; file >> word;) {
        if (word != "Uid:") continue;
        unsigned real = 1;
        unsigned effective = 1;
        return file >> real >> effective && effective == 0;
    }
    return false;
}

std::string machine_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace eyehand::winio::x11
