// A temporary folder or file for a test; the destructor deletes it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

class TempFolder {
public:
    TempFolder() {
        static std::atomic<int> counter{0};
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        for (;;) {
            path_ = std::filesystem::temp_directory_path() /
                    ("eyehand-test-" + std::to_string(now) + "-" + std::to_string(++counter));
            if (std::filesystem::create_directories(path_)) return;
        }
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

/// A file with this text, in a folder of its own.
class TempFile {
public:
    explicit TempFile(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
    [[nodiscard]] std::string name() const { return path_.string(); }

private:
    TempFolder folder_;
    std::filesystem::path path_ = folder_ / "file";
};

/// The bytes of a file that must exist.
inline std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("no such file: " + file.string());
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::istringstream in(read_file(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

} // namespace test
