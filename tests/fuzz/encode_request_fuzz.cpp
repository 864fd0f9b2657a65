// Any conversation gives a JSON body in the form that strict servers require, with every image
// unchanged, or std::invalid_argument.
//
// The input is a list of messages: a byte for the kind, a byte for the length, then the text.
#include "eyehand/base/base64.hpp"
#include "wire/encode_request.hpp"
#include "wire/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace eyehand;

namespace {

namespace json = boost::json;
using Bytes = std::vector<std::uint8_t>;

void require(bool condition) {
    if (!condition) std::abort();
}

struct Conversation {
    vlm::ChatRequest request{};
    std::vector<Bytes> images{};
};

Conversation read(std::string_view input) {
    Conversation result;
    std::vector<vlm::Message>& messages = result.request.messages;
    while (input.size() >= 2) {
        const int kind = static_cast<unsigned char>(input[0]) % 7;
        const std::string text(input.substr(2, static_cast<unsigned char>(input[1])));
        input.remove_prefix(2 + text.size());
        if (kind == 0) messages.push_back(vlm::Message::system(text));
        if (kind == 1) messages.push_back(vlm::Message::user(text));
        if (kind == 2 && !text.empty()) {
            result.images.emplace_back(text.begin(), text.end());
            messages.push_back(vlm::Message::user("", vlm::make_image(result.images.back())));
        }
        if (kind == 3) messages.push_back(vlm::Message::assistant(text));
        if (kind == 4) messages.push_back(vlm::Message::assistant("", {{"c", "click", text, {}}}));
        if (kind == 5) messages.push_back(vlm::Message::assistant("", {{"c", text, "", text}}));
        if (kind == 6) messages.push_back(vlm::Message::tool("c", text));
    }
    return result;
}

void check_images(const json::value& content, std::vector<Bytes>& seen) {
    if (content.is_string()) return;
    require(!content.as_array().empty());
    for (const json::value& part : content.as_array()) {
        if (part.at("type").as_string() != "image_url") continue;
        const std::string_view url = part.at("image_url").at("url").as_string();
        constexpr std::string_view head = "data:image/png;base64,";
        require(url.starts_with(head));
        auto bytes = base::from_base64(url.substr(head.size()));
        require(bytes.has_value());
        seen.push_back(*std::move(bytes));
    }
}

void check(const Conversation& conversation, const vlm::wire::Encoding& encoding) {
    const std::string body = vlm::wire::encode_request(conversation.request, encoding);
    require(body == vlm::wire::encode_request(conversation.request, encoding));
    const auto value = vlm::wire::parse_json(body);
    require(value.has_value());
    std::vector<Bytes> images;
    std::string before;
    for (const json::value& message : value->at("messages").as_array()) {
        const std::string role(std::string_view(message.at("role").as_string()));
        require(role != "system" || before.empty());
        require(role != before || role == "tool");
        before = role;
        check_images(message.at("content"), images);
        const json::value* calls = message.as_object().if_contains("tool_calls");
        if (!calls) continue;
        require(!calls->as_array().empty());
        for (const json::value& call : calls->as_array()) {
            const auto arguments = vlm::wire::parse_json(
                std::string_view(call.at("function").at("arguments").as_string()));
            require(arguments && arguments->is_object());
        }
    }
    if (encoding.images == vlm::wire::ImageMode::inlined) require(images == conversation.images);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Conversation conversation = read({reinterpret_cast<const char*>(data), size});
    try {
        check(conversation, {});
        check(conversation, {.quirks = {.answer_before_user = true}, .stream = true});
    } catch (const std::invalid_argument&) {
        return 0;
    }
    return 0;
}
