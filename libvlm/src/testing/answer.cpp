// Builds answers: complete, compressed, or in chunks.
#include "answer_text.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json.hpp>

#include <zlib.h>

#include <charconv>
#include <new>

namespace eyehand::vlm::testing {

std::string answer_text(const Answer& answer) {
    if (!answer.raw.empty()) return answer.raw;
    namespace http = boost::beast::http;
    const auto status = http::int_to_status(static_cast<unsigned>(answer.status));
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + ' ' +
                       std::string(http::obsolete_reason(status));
    text += "\r\nContent-Type: " + answer.content_type;
    if (answer.headers.count("Content-Length") == 0)
        text += "\r\nContent-Length: " + std::to_string(answer.body.size());
    for (const auto& [name, value] : answer.headers)
        text.append("\r\n").append(name).append(": ").append(value);
    return text + "\r\n\r\n" + answer.body;
}

std::string completion(const std::string& text, const std::string& tool,
                       const std::string& arguments_json) {
    boost::json::object message{{"role", "assistant"}, {"content", text}};
    if (!tool.empty())
        message["tool_calls"] = {{{"id", "call_of_" + tool},
                                  {"type", "function"},
                                  {"function", {{"name", tool}, {"arguments", arguments_json}}}}};
    boost::json::object answer;
    answer["id"] = "chatcmpl-test";
    answer["object"] = "chat.completion";
    answer["model"] = "test-model";
    boost::json::object choice;
    choice["index"] = 0;
    choice["message"] = std::move(message);
    choice["finish_reason"] = tool.empty() ? "stop" : "tool_calls";
    boost::json::array choices;
    choices.push_back(std::move(choice));
    answer["choices"] = std::move(choices);
    answer["usage"] = {{"prompt_tokens", 30}, {"completion_tokens", 10}, {"total_tokens", 40}};
    return boost::json::serialize(answer);
}

std::string chunked_head(const std::string& content_type) {
    return "HTTP/1.1 200 OK\r\nContent-Type: " + content_type +
           "\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view text) {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), text.size(), 16);
    return std::string(digits, end).append("\r\n").append(text).append("\r\n");
}

std::vector<Part> byte_by_byte(std::string_view bytes, const Gate& gate) {
    std::vector<Part> parts;
    for (const char byte : bytes) {
        if (!parts.empty()) parts.emplace_back(gate);
        parts.emplace_back(std::string(1, byte));
    }
    return parts;
}

std::string gzipped(std::string_view text) {
    z_stream stream{};
    constexpr int gzip_with_largest_window = 15 + 16; // zlib's manual, deflateInit2
    constexpr int default_memory = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_with_largest_window,
                     default_memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string result(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); // read only
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    deflate(&stream, Z_FINISH);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

} // namespace eyehand::vlm::testing
