#include "vlm/error.hpp"

#include <utility>

namespace vlm {
namespace {

class Category final : public std::error_category {
public:
    const char* name() const noexcept override { return "vlm"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
        case errc::bad_url:
            return "the endpoint is not a usable URL";
        case errc::unreachable:
            return "the server cannot be reached";
        case errc::timeout:
            return "the server did not answer in time";
        case errc::connection_lost:
            return "the connection was lost";
        case errc::http_status:
            return "the server answered with an error status";
        case errc::not_found:
            return "the server does not know this path or model";
        case errc::unauthorized:
            return "the server refused the API key";
        case errc::overloaded:
            return "the server is busy";
        case errc::context_overflow:
            return "the request is longer than the model's context";
        case errc::bad_response:
            return "the answer is not a chat completion";
        case errc::server_error:
            return "the server reported an error";
        case errc::response_too_large:
            return "the answer is too large";
        case errc::truncated:
            return "the answer was cut off";
        case errc::not_supported:
            return "not supported";
        case errc::cancelled:
            return "cancelled";
        case errc::untrusted:
            return "the server's certificate is not trusted";
        }
        return "unknown vlm error";
    }
};

} // namespace

const std::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

Error::Error(errc code, const std::string& what, std::optional<int> http_status,
             std::string server_message)
    : std::system_error(make_error_code(code), what),
      what_(std::make_shared<const std::string>(what)), status_(http_status),
      server_message_(std::move(server_message)) {}

} // namespace vlm
