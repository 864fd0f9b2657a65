// Parses one HTTP/1.x answer into status, headers and pieces of its body.
#pragma once

#include "connection.hpp"
#include "eyehand/vlm/error.hpp"
#include "inflate.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <memory>

namespace eyehand::vlm::http {

/// Takes bytes through `put`, like Beast's own parsers. Decodes the body, checks its limit, and
/// then passes it to `on_body` (status 2xx) or collects it. Throws Error{response_too_large},
/// Error{bad_response} for an encoding that cannot be decoded, and the exceptions of `on_body`.
class AnswerParser final : public boost::beast::http::basic_parser<false> {
public:
    /// `shown`: the URL in messages. All must outlive the parser.
    AnswerParser(const Limits& limits, const Request& request, const OnBody& on_body,
                 const std::string& shown);

    /// "100 Continue" and the like: the final answer follows.
    [[nodiscard]] bool is_interim() const { return response_.status / 100 == 1; }
    /// Whether `on_body` has returned false, or the body of an error has reached its limit.
    [[nodiscard]] bool is_enough() const { return enough_; }
    /// Precondition: `is_done()` or `is_enough()`.
    [[nodiscard]] Response take() { return std::move(response_); }
    [[nodiscard]] Error too_large() const;

private:
    using error_code = boost::beast::error_code;
    using string_view = boost::beast::string_view;

    void on_request_impl(boost::beast::http::verb, string_view, string_view, int,
                         error_code&) override {}
    void on_response_impl(int status, string_view, int, error_code&) override;
    void on_field_impl(boost::beast::http::field, string_view name, string_view value,
                       error_code&) override;
    void on_header_impl(error_code&) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override;
    std::size_t on_body_impl(string_view bytes, error_code&) override;
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override;
    void on_finish_impl(error_code&) override;

    std::size_t take_encoded(std::string_view bytes);
    void take_decoded(std::string_view bytes);

    const Limits& limits_;
    const Request& request_;
    const OnBody& on_body_;
    const std::string& shown_;
    Response response_;
    std::unique_ptr<Inflater> inflater_;
    bool compressed_ = false; // compressed bytes have arrived
    std::size_t decoded_ = 0;
    bool enough_ = false;
};

} // namespace eyehand::vlm::http
