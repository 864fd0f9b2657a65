// For any values of the retry headers, the requested delay is positive and at most a year. The
// input is the three headers, one per line.
#include "wire/retry_hint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto next_line = [&] {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return line;
    };
    const std::string_view should_retry = next_line();
    const std::string_view after_ms = next_line();
    const std::chrono::sys_days now = std::chrono::year(2026) / 1 / 1;
    const auto hint = vlm::wire::read_retry_hint(should_retry, after_ms, text, now);
    if (hint.after && (hint.after->count() <= 0 || *hint.after > std::chrono::hours(24 * 365)))
        std::abort();
    return 0;
}
