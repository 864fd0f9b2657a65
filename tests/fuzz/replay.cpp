// Stands in for libFuzzer where there is none: runs every file of a corpus through the target once,
// as it is and cut off at some places.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
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

} // namespace

int main(int argc, char* argv[]) {
    try {
        int files = 0;
        for (int i = 1; i < argc; ++i)
            for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
                replay(entry.path());
                ++files;
            }
        std::printf("%d files\n", files);
        return files > 0 ? 0 : 1; // an empty corpus tests nothing
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
