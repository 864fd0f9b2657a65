// Whatever is typed as the endpoint, there is a URL that means the same when read again, or
// Error{bad_url}.
#include "http/url.hpp"
#include "vlm/error.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const vlm::http::Url url = vlm::http::parse_endpoint(text);
        const vlm::http::Url again = vlm::http::parse_endpoint(url.text());
        if (again.text() != url.text() || url.port == 0 || url.host.empty()) std::abort();
    } catch (const vlm::Error& error) {
        if (error.code() != vlm::errc::bad_url) std::abort();
    }
    return 0;
}
