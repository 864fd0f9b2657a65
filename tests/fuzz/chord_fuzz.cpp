// Whatever a model names as a key, it is a chord that means the same when read again, or there are
// words that say why not.
#include "eyehand/winio/keys.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string problem;
    const auto chord = winio::parse_chord({reinterpret_cast<const char*>(data), size}, &problem);
    if (!chord && problem.empty()) std::abort();
    if (chord && winio::parse_chord(winio::to_string(*chord)) != chord) std::abort();
    return 0;
}
