#include "eyehand/mcp/content.hpp"

#include "content_json.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/base/utf8.hpp"

#include <stdexcept>
#include <utility>

namespace eyehand::mcp {
namespace {

json::string valid(std::string_view text) {
    return base::utf8::first_invalid(text) ? json::string(base::utf8::replace_invalid(text))
                                           : json::string(text);
}

void set_if_any(json::object& object, std::string_view name, std::string_view value) {
    if (!value.empty()) object[name] = valid(value);
}

struct ContentWriter {
    json::object operator()(const Text& text) const {
        return {{"type", "text"}, {"text", valid(text.text)}};
    }
    json::object operator()(const Image& image) const {
        return {{"type", "image"},
                {"data", base::to_base64(image.bytes)},
                {"mimeType", valid(image.mime_type)}};
    }
    json::object operator()(const Audio& audio) const {
        return {{"type", "audio"},
                {"data", base::to_base64(audio.bytes)},
                {"mimeType", valid(audio.mime_type)}};
    }
    json::object operator()(const ResourceLink& link) const {
        json::object object{
            {"type", "resource_link"}, {"uri", valid(link.uri)}, {"name", valid(link.name)}};
        set_if_any(object, "title", link.title);
        set_if_any(object, "description", link.description);
        set_if_any(object, "mimeType", link.mime_type);
        return object;
    }
    json::object operator()(const ResourceContents& contents) const {
        return {{"type", "resource"}, {"resource", to_json(contents)}};
    }
};

std::string text_or_empty(const json::object& object, std::string_view name) {
    return std::string(string_in(object, name).value_or(""));
}

/// Image and Audio have the same form.
template <class Media>
std::optional<Content> read_media(const json::object& content) {
    const auto data = string_in(content, "data");
    const auto type = string_in(content, "mimeType");
    if (!data || !type) return std::nullopt;
    auto bytes = base::from_base64(*data);
    if (!bytes) return std::nullopt;
    return Media{.bytes = *std::move(bytes), .mime_type = std::string(*type)};
}

} // namespace

json::object to_json(const Content& content) { return std::visit(ContentWriter{}, content); }

json::object to_json(const ResourceContents& contents) {
    json::object object{{"uri", valid(contents.uri)}};
    set_if_any(object, "mimeType", contents.mime_type);
    if (const auto* text = std::get_if<std::string>(&contents.data))
        object["text"] = valid(*text);
    else
        object["blob"] = base::to_base64(std::get<std::vector<std::uint8_t>>(contents.data));
    return object;
}

json::object to_json(const CallResult& result) {
    json::array content;
    content.reserve(result.content.size());
    for (const Content& each : result.content) content.emplace_back(to_json(each));
    json::object object{{"content", std::move(content)}};
    if (!result.structured_json.empty()) {
        auto value = agent::parse_json(result.structured_json);
        if (!value) throw std::invalid_argument("CallResult::structured_json is not JSON");
        object["structuredContent"] = *std::move(value);
    }
    if (result.is_error) object["isError"] = true;
    return object;
}

std::optional<Content> read_content(const json::object& content) {
    const auto type = string_in(content, "type");
    if (type == "text") {
        const auto text = string_in(content, "text");
        if (!text) return std::nullopt;
        return Text{std::string(*text)};
    }
    if (type == "image") return read_media<Image>(content);
    if (type == "audio") return read_media<Audio>(content);
    if (type == "resource_link") {
        const auto uri = string_in(content, "uri");
        if (!uri) return std::nullopt;
        return ResourceLink{.uri = std::string(*uri),
                            .name = text_or_empty(content, "name"),
                            .title = text_or_empty(content, "title"),
                            .description = text_or_empty(content, "description"),
                            .mime_type = text_or_empty(content, "mimeType")};
    }
    if (type == "resource") {
        const json::object* resource = object_in(content, "resource");
        if (resource == nullptr) return std::nullopt;
        auto contents = read_resource_contents(*resource);
        if (!contents) return std::nullopt;
        return *std::move(contents);
    }
    return std::nullopt;
}

std::optional<ResourceContents> read_resource_contents(const json::object& contents) {
    const auto uri = string_in(contents, "uri");
    if (!uri) return std::nullopt;
    ResourceContents read{.uri = std::string(*uri),
                          .mime_type = text_or_empty(contents, "mimeType")};
    if (const auto text = string_in(contents, "text")) {
        read.data = std::string(*text);
        return read;
    }
    const auto blob = string_in(contents, "blob");
    if (!blob) return std::nullopt;
    auto bytes = base::from_base64(*blob);
    if (!bytes) return std::nullopt;
    read.data = *std::move(bytes);
    return read;
}

std::optional<CallResult> read_call_result(const json::object& result) {
    CallResult read;
    if (const json::value* content = result.if_contains("content")) {
        const json::array* list = content->if_array();
        if (list == nullptr) return std::nullopt;
        for (const json::value& each : *list) {
            const json::object* object = each.if_object();
            if (object == nullptr) return std::nullopt;
            auto one = read_content(*object);
            if (!one) return std::nullopt;
            read.content.push_back(*std::move(one));
        }
    }
    if (const json::value* structured = result.if_contains("structuredContent"))
        read.structured_json = agent::to_text(*structured);
    else if (!result.contains("content"))
        return std::nullopt;
    if (const json::value* is_error = result.if_contains("isError")) {
        if (!is_error->is_bool()) return std::nullopt;
        read.is_error = is_error->get_bool();
    }
    return read;
}

CallResult text_result(std::string_view text) { return {.content = {Text{std::string(text)}}}; }

CallResult error_result(std::string_view text) {
    return {.content = {Text{std::string(text)}}, .is_error = true};
}

} // namespace eyehand::mcp
