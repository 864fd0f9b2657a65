// Any text for a key is parsed as a chord, which reads the same after it is printed, or rejected
// with a reason.
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
