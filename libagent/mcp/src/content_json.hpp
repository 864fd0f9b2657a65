// Content as JSON; private, because public headers contain no JSON library.
#pragma once

#include "eyehand/mcp/content.hpp"
#include "json_rpc.hpp"

#include <optional>

namespace eyehand::mcp {

[[nodiscard]] json::object to_json(const Content& content);
/// A member of `contents` in the answer to resources/read, and of an embedded resource.
[[nodiscard]] json::object to_json(const ResourceContents& contents);
/// The members `content`, `structuredContent` and `isError` of a tool's result. Throws
/// std::invalid_argument if `structured_json` is not JSON.
[[nodiscard]] json::object to_json(const CallResult& result);

/// Nothing if a required member is missing or of the wrong type, base64 is malformed, or the type is
/// unknown.
[[nodiscard]] std::optional<Content> read_content(const json::object& content);
[[nodiscard]] std::optional<ResourceContents> read_resource_contents(const json::object& contents);
[[nodiscard]] std::optional<CallResult> read_call_result(const json::object& result);

} // namespace eyehand::mcp
