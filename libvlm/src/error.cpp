#include "eyehand/vlm/error.hpp"

#include "eyehand/base/error_category.hpp"

#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace eyehand::vlm {
namespace {

using Entry = base::ErrorEntry;

// In the order of the enumerators, so that a code's value finds its entry.
constexpr std::array entries{
    Entry{errc::bad_url, "bad_url", "the endpoint is not a usable URL"},
    Entry{errc::unreachable, "unreachable", "the server cannot be reached"},
    Entry{errc::timeout, "timeout", "the server did not answer in time"},
    Entry{errc::connection_lost, "connection_lost", "the connection was lost"},
    Entry{errc::http_status, "http_status", "the server answered with an error status"},
    Entry{errc::not_found, "not_found", "the server does not know this path or model"},
    Entry{errc::unauthorized, "unauthorized", "the server refused the API key"},
    Entry{errc::overloaded, "overloaded", "the server is busy"},
    Entry{errc::context_overflow, "context_overflow",
          "the request is longer than the model's context"},
    Entry{errc::bad_response, "bad_response", "the answer is not a chat completion"},
    Entry{errc::server_error, "server_error", "the server reported an error"},
    Entry{errc::response_too_large, "response_too_large", "the answer is too large"},
    Entry{errc::truncated, "truncated", "the answer was cut off"},
    Entry{errc::not_supported, "not_supported", "not supported"},
    Entry{errc::cancelled, "cancelled", "cancelled"},
    Entry{errc::untrusted, "untrusted", "the server's certificate is not trusted"},
    Entry{errc::bad_cassette, "bad_cassette", "the cassette is not usable"},
    Entry{errc::cassette_mismatch, "cassette_mismatch",
          "the request differs from the recorded one"}};

static_assert(base::is_numbered(entries));

const base::ErrorCategory& category() noexcept {
    static const base::ErrorCategory category("vlm", entries);
    return category;
}

} // namespace

const std::error_category& error_category() noexcept { return category(); }

std::string_view to_string(errc code) noexcept {
    return category().name_of(static_cast<int>(code));
}

std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }

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

const char* Error::what() const noexcept { return shared_->what.c_str(); }

} // namespace eyehand::vlm
