#include "eyehand/vlm/message.hpp"

#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/digest.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm {

std::string_view to_string(Role role) {
    switch (role) {
    case Role::system:
        return "system";
    case Role::user:
        return "user";
    case Role::assistant:
        return "assistant";
    case Role::tool:
        return "tool";
    }
    throw std::invalid_argument("not a vlm::Role");
}

std::string_view to_string(Provenance provenance) {
    switch (provenance) {
    case Provenance::native:
        return "native";
    case Provenance::text:
        return "text";
    }
    throw std::invalid_argument("not a vlm::Provenance");
}

Image make_image(std::vector<std::uint8_t> bytes, std::string media_type) {
    return make_image(std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)),
                      std::move(media_type));
}

Image make_image(std::shared_ptr<const std::vector<std::uint8_t>> bytes, std::string media_type) {
    if (!bytes) throw std::invalid_argument("make_image: there are no bytes");
    std::string hash = sha256_hex(std::span<const std::uint8_t>(*bytes));
    return {std::move(hash), std::move(bytes), std::move(media_type)};
}

std::string_view media_type_of(std::span<const std::uint8_t> file) {
    const auto has = [&](std::size_t at, std::string_view bytes) {
        return file.size() >= at + bytes.size() &&
               std::equal(bytes.begin(), bytes.end(),
                          file.begin() + static_cast<std::ptrdiff_t>(at),
                          [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
    };
    if (has(0, "\x89PNG\r\n\x1A\n")) return "image/png";
    if (has(0, "\xFF\xD8\xFF")) return "image/jpeg";
    if (has(0, "GIF87a") || has(0, "GIF89a")) return "image/gif";
    if (has(0, "RIFF") && has(8, "WEBP")) return "image/webp"; // between them: the length
    return {};
}

Message message_of(const ChatReply& reply) {
    Message message = Message::assistant(reply.text, reply.tool_calls);
    message.items_json = reply.items_json;
    return message;
}

Message Message::system(std::string text) { return {Role::system, {std::move(text)}, {}, {}}; }

Message Message::user(std::string text) { return {Role::user, {std::move(text)}, {}, {}}; }

Message Message::user(std::string text, Image image) {
    return {Role::user, {std::move(text), std::move(image)}, {}, {}};
}

Message Message::assistant(std::string text, std::vector<ToolCall> calls) {
    return {Role::assistant, {std::move(text)}, std::move(calls), {}};
}

Message Message::tool(std::string call_id, std::string text) {
    return {Role::tool, {std::move(text)}, {}, std::move(call_id)};
}

std::string Message::text() const {
    std::string joined;
    bool first = true;
    for (const Part& part : parts) {
        const auto* text = std::get_if<std::string>(&part);
        if (!text) continue;
        if (!first) joined += '\n';
        joined += *text;
        first = false;
    }
    return joined;
}

} // namespace eyehand::vlm
