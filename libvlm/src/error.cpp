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

Error::Error(errc code, const std::string& what, ErrorDetails details)
    : std::system_error(make_error_code(code), what),
      shared_(std::make_shared<const Shared>(Shared{what, std::move(details)})) {}

Retry Error::retry() const noexcept {
    if (shared_->details.retry) return *shared_->details.retry;
    switch (static_cast<errc>(code().value())) {
    case errc::unreachable:
    case errc::timeout:
    case errc::connection_lost:
    case errc::overloaded:
        return Retry::later;
    case errc::http_status:
        return status().value_or(0) >= 500 ? Retry::later : Retry::never;
    default:
        return Retry::never;
    }
}

} // namespace vlm
