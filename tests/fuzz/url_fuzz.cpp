// Any text for the endpoint gives a URL, which reads the same after it is printed, or
// Error{bad_url}. The same text as a redirection and as proxy settings is harmless.
#include "eyehand/vlm/error.hpp"
#include "http/proxy.hpp"
#include "http/url.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

template <class Read>
void read(Read action) {
    try {
        action();
    } catch (const vlm::Error& error) {
        if (error.code() != vlm::errc::bad_url && error.code() != vlm::errc::not_supported)
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        for (const vlm::Api api : {vlm::Api::chat_completions, vlm::Api::responses}) {
            const vlm::http::Url url = vlm::http::parse_endpoint(text, api);
            const vlm::http::Url again = vlm::http::parse_endpoint(url.text(), api);
            if (again.text() != url.text() || url.port == 0 || url.host.empty()) std::abort();
        }
    } catch (const vlm::Error& error) {
        if (error.code() != vlm::errc::bad_url) std::abort();
    }
    const vlm::http::Url base{"http", "host.test", 8080, "/a/b", "?c"};
    read([&] { (void)vlm::http::resolve_reference(base, text); });
    read([&] { (void)vlm::http::parse_proxy(text); });
    (void)vlm::http::is_exempt(base, text);
    return 0;
}
