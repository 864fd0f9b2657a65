// The messages of JSON-RPC 2.0 as the Model Context Protocol uses them: parameters are objects, ids
// are strings or integers, and there are no batches.
#pragma once

#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace eyehand::mcp {

namespace json = boost::json;

namespace rpc_code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
} // namespace rpc_code

using RequestId = std::variant<std::int64_t, std::string>;

struct RpcError {
    std::int64_t code = rpc_code::internal_error;
    std::string message{};
    std::optional<json::value> data{};
};

struct RpcRequest {
    RequestId id{};
    std::string method{};
    json::object params{};
};

struct RpcNotification {
    std::string method{};
    json::object params{};
};

/// The answer to a request. An error may have no id, if the request could not be read.
struct RpcResponse {
    std::optional<RequestId> id{};
    std::variant<json::object, RpcError> outcome{};
};

/// A message that cannot be handled, with the error to answer.
struct RpcMistake {
    RpcError error{};
    std::optional<RequestId> id{}; ///< if it could be read
    bool is_response = false;      ///< it is not a request or a notification
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse, RpcMistake>;

/// The maximum nesting of arrays and objects in a message.
inline constexpr std::size_t max_message_depth = 64;

/// Reads one message. Text that is longer than `max_bytes`, not UTF-8, not JSON or too deeply nested is a
/// parse error.
[[nodiscard]] RpcMessage parse_message(std::string_view text, std::size_t max_bytes);
/// The same for a document that has been parsed.
[[nodiscard]] RpcMessage read_message(json::value document);

/// One line without a line break; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string write_message(const RpcRequest& request);
[[nodiscard]] std::string write_message(const RpcNotification& notification);
[[nodiscard]] std::string write_message(const RpcResponse& response);

[[nodiscard]] json::value to_json(const RequestId& id);
[[nodiscard]] json::object to_json(const RpcError& error);
/// Nothing if `value` is not a string or an integer of 64 bits.
[[nodiscard]] std::optional<RequestId> to_request_id(const json::value& value);

/// Members of an object; null or empty if absent or of another type.
[[nodiscard]] const json::value* member_of(const json::object& object, std::string_view name);
[[nodiscard]] const json::object* object_in(const json::object& object, std::string_view name);
[[nodiscard]] const json::array* array_in(const json::object& object, std::string_view name);
[[nodiscard]] std::optional<std::string_view> string_in(const json::object& object,
                                                        std::string_view name);

} // namespace eyehand::mcp
