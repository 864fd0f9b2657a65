// Any line for a watchdog is rejected, or a message that reads the same after it is written.
#include "watchdog/hold.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line{reinterpret_cast<const char*>(data), size};
    if (line.find('\n') != std::string_view::npos) return 0; // never part of a line
    const auto message = winio::message_of(line);
    if (!message) return 0;
    std::string written = winio::to_line(*message);
    written.pop_back();
    if (winio::message_of(written) != message) std::abort();
    return 0;
}
