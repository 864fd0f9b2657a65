#include "answer_parser.hpp"

#include "../wire/utf8.hpp"

#include <limits>

namespace eyehand::vlm::http {

AnswerParser::AnswerParser(const Limits& limits, const Request& request, const OnBody& on_body,
                           const std::string& shown)
    : limits_(limits), request_(request), on_body_(on_body), shown_(shown) {
    header_limit(limits.header_bytes == 0 ? std::numeric_limits<std::uint32_t>::max()
                                          : limits.header_bytes);
    if (limits.body_bytes == 0)
        body_limit(boost::none);
    else
        body_limit(limits.body_bytes);
}

Error AnswerParser::too_large() const {
    return {errc::response_too_large,
            shown_ + " sent more than the allowed " + std::to_string(limits_.body_bytes) +
                " bytes: is this a model server? If so, raise max_response_bytes"};
}

void AnswerParser::on_response_impl(int status, string_view, int, error_code&) {
    response_.status = status;
}

void AnswerParser::on_field_impl(boost::beast::http::field, string_view name, string_view value,
                                 error_code&) {
    response_.headers.push_back({std::string(name), std::string(value)});
}

void AnswerParser::on_header_impl(error_code&) {
    if (request_.on_head && response_.status / 100 == 2) request_.on_head(response_);
}

void AnswerParser::on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) {
    const std::string encoding = wire::ascii_lower(response_.header("Content-Encoding"));
    if (encoding.empty() || encoding == "identity") return;
    if (encoding != "gzip" && encoding != "x-gzip" && encoding != "deflate")
        throw Error(errc::bad_response, shown_ +
                                            " compresses its answer with an unsupported method (" +
                                            wire::excerpt(encoding, 100) +
                                            "): switch compression off in the server or in the "
                                            "proxy in front of it");
    inflater_ = std::make_unique<Inflater>();
}

std::size_t AnswerParser::on_body_impl(string_view bytes, error_code&) {
    return take_encoded({bytes.data(), bytes.size()});
}

std::size_t AnswerParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) {
    return take_encoded({bytes.data(), bytes.size()});
}

void AnswerParser::on_finish_impl(error_code&) {
    if (inflater_ && compressed_ && !inflater_->is_complete())
        throw Error(errc::bad_response,
                    shown_ + " sent an incomplete compressed answer: has the server crashed? Look "
                             "at its log");
}

std::size_t AnswerParser::take_encoded(std::string_view bytes) {
    if (bytes.empty()) return 0;
    compressed_ = inflater_ != nullptr;
    if (!inflater_)
        take_decoded(bytes);
    else if (!inflater_->put(bytes, [this](std::string_view decoded) { take_decoded(decoded); }))
        throw Error(errc::bad_response,
                    shown_ + " sent an answer that does not match its Content-Encoding: switch "
                             "compression off in the server or in the proxy in front of it");
    return bytes.size();
}

void AnswerParser::take_decoded(std::string_view bytes) {
    if (bytes.empty() || enough_) return;
    if (limits_.body_bytes != 0 && bytes.size() > limits_.body_bytes - decoded_) throw too_large();
    decoded_ += bytes.size();
    const bool is_success = response_.status / 100 == 2;
    if (on_body_ && is_success) {
        enough_ = !on_body_(response_, bytes);
        return;
    }
    if (!is_success) bytes = bytes.substr(0, limits_.error_bytes - response_.body.size());
    response_.body.append(bytes);
    enough_ = !is_success && response_.body.size() >= limits_.error_bytes;
}

} // namespace eyehand::vlm::http
