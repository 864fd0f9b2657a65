#include "client/tool_headers.hpp"

#include "client/link.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace eyehand::mcp {
namespace {

constexpr std::string_view header_keyword = "x-mcp-header";
constexpr std::int64_t max_safe_integer = (std::int64_t{1} << 53) - 1;

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

std::size_t count_keywords(const json::value& value) {
    std::size_t count = 0;
    if (const json::object* object = value.if_object()) {
        for (const auto& [name, member] : *object)
            count += (name == header_keyword ? 1 : 0) + count_keywords(member);
    } else if (const json::array* array = value.if_array()) {
        for (const json::value& element : *array) count += count_keywords(element);
    }
    return count;
}

void read_properties(const json::object& schema, const std::vector<std::string>& path,
                     std::vector<ToolHeader>& headers) {
    const json::object* properties = object_in(schema, "properties");
    if (properties == nullptr) return;
    for (const auto& [name, property] : *properties) {
        const json::object* described = property.if_object();
        if (described == nullptr) continue;
        std::vector<std::string> inside = path;
        inside.emplace_back(name);
        read_properties(*described, inside, headers);
        const json::value* header = described->if_contains(header_keyword);
        if (header == nullptr) continue;
        const std::string_view type = string_in(*described, "type").value_or("");
        if (type != "string" && type != "integer" && type != "boolean")
            throw std::invalid_argument(fmt::format(
                "the argument \"{}\" has a header, but is not a string, an integer or a boolean",
                std::string_view(name)));
        const std::string_view text = string_in(*described, header_keyword).value_or("");
        if (!is_token(text))
            throw std::invalid_argument(fmt::format(
                "the argument \"{}\" has an invalid name of a header", std::string_view(name)));
        const std::string full = fmt::format("Mcp-Param-{}", text);
        if (std::ranges::any_of(headers, [&](const ToolHeader& it) {
                return agent::equals_ignoring_case(it.name, full);
            }))
            throw std::invalid_argument(fmt::format("two arguments have the header \"{}\"", full));
        headers.push_back({std::move(inside), full});
    }
}

} // namespace

std::vector<ToolHeader> read_tool_headers(const json::object& schema) {
    std::vector<ToolHeader> headers;
    read_properties(schema, {}, headers);
    // A property may be called like the keyword: it is then counted, too, but rare enough to refuse.
    if (count_keywords(schema) != headers.size())
        throw std::invalid_argument(
            "a header belongs to a part of the schema that is not an argument");
    return headers;
}

std::vector<std::pair<std::string, std::string>>
headers_of_call(const std::vector<ToolHeader>& headers, const json::object& arguments) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const ToolHeader& header : headers) {
        const json::object* object = &arguments;
        for (std::size_t i = 0; object != nullptr && i + 1 < header.path.size(); ++i)
            object = object_in(*object, header.path[i]);
        const json::value* value =
            object != nullptr ? object->if_contains(header.path.back()) : nullptr;
        if (value == nullptr) continue;
        if (const json::string* text = value->if_string())
            all.emplace_back(header.name, header_value({text->data(), text->size()}));
        else if (const std::int64_t* number = value->if_int64();
                 number != nullptr && *number >= -max_safe_integer && *number <= max_safe_integer)
            all.emplace_back(header.name, std::to_string(*number));
        else if (const bool* truth = value->if_bool())
            all.emplace_back(header.name, *truth ? "true" : "false");
    }
    return all;
}

} // namespace eyehand::mcp
