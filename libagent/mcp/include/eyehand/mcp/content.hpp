// What tools, resources and prompts of the Model Context Protocol exchange.
#pragma once

#include "eyehand/export.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::mcp {

struct Text {
    std::string text{}; ///< UTF-8
    friend bool operator==(const Text&, const Text&) = default;
};
struct Image {
    std::vector<std::uint8_t> bytes{}; ///< the file, not base64
    std::string mime_type = "image/png";
    friend bool operator==(const Image&, const Image&) = default;
};
struct Audio {
    std::vector<std::uint8_t> bytes{};
    std::string mime_type{};
    friend bool operator==(const Audio&, const Audio&) = default;
};
/// The content of a resource: text or bytes.
struct ResourceContents {
    std::string uri{};
    std::string mime_type{}; ///< empty: unknown
    std::variant<std::string, std::vector<std::uint8_t>> data{};
    friend bool operator==(const ResourceContents&, const ResourceContents&) = default;
};
/// Refers to a resource that the client may read.
struct ResourceLink {
    std::string uri{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
    friend bool operator==(const ResourceLink&, const ResourceLink&) = default;
};
using Content = std::variant<Text, Image, Audio, ResourceLink, ResourceContents>;

/// The result of a tool call.
struct CallResult {
    std::vector<Content> content{};
    /// A JSON value for programs, described by the tool's output schema; empty: none. Clients before
    /// revision 2025-06-18 do not receive it, so `content` should contain the same.
    std::string structured_json{};
    bool is_error = false; ///< the model can react to it; a malformed request is an Error instead
    friend bool operator==(const CallResult&, const CallResult&) = default;
};
/// A result with one text.
[[nodiscard]] EYEHAND_MCP_API CallResult text_result(std::string_view text);
/// The same, as a failure.
[[nodiscard]] EYEHAND_MCP_API CallResult error_result(std::string_view text);

/// What the user answered to a question (elicitation).
struct ElicitResult {
    enum class Action { accept, decline, cancel };
    Action action = Action::cancel;
    std::string content_json{}; ///< of accept: an object that matches the schema
};

} // namespace eyehand::mcp
