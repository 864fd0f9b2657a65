// Replays a corpus without libFuzzer: passes each file to the fuzz target, whole and truncated to several
// lengths. Each argument is a file or a folder; the order of the files is always the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    const std::vector<char> text{std::istreambuf_iterator<char>(file),
                                 std::istreambuf_iterator<char>()};
    // A copy of the exact size each, so that the address sanitizer sees a read past the end.
    const std::size_t step = text.size() / 64 + 1;
    for (std::size_t length = text.size();; length -= step) {
        const std::vector<std::uint8_t> bytes(text.begin(),
                                              text.begin() + static_cast<std::ptrdiff_t>(length));
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        if (length < step) break;
    }
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) return {path};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

int main(int argc, char* argv[]) {
    try {
        int files = 0;
        for (int i = 1; i < argc; ++i)
            for (const std::filesystem::path& file : files_of(argv[i])) {
                replay(file);
                ++files;
            }
        std::printf("%d files\n", files);
        return files > 0 ? 0 : 1; // an empty corpus tests nothing
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
