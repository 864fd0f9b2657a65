// Any body with an error status gives a vlm::Error of bounded length without the key.
#include "wire/decode_error.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const std::string key = "sk-0123456789";
    for (const int status : {200, 301, 400, 404, 429, 503}) {
        const vlm::Error error =
            vlm::wire::decode_error(status, body, {"http://h/", "m", key}, body.substr(0, 100));
        const std::string_view what = error.what();
        if (what.size() > 8192 || what.find(key) != std::string_view::npos) std::abort();
    }
    return 0;
}
