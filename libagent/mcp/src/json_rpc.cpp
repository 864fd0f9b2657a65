#include "json_rpc.hpp"

#include "eyehand/base/utf8.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::mcp {
namespace {

RpcMistake mistake(std::int64_t code, std::string message, std::optional<RequestId> id = {}) {
    return {{.code = code, .message = std::move(message)}, std::move(id)};
}

json::object envelope() {
    json::object message;
    message["jsonrpc"] = "2.0";
    return message;
}

std::string as_line(const json::object& message) {
    std::string text = json::serialize(message);
    return base::utf8::first_invalid(text) ? base::utf8::replace_invalid(text) : text;
}

RpcMistake malformed_response(std::string message, std::optional<RequestId> id = {}) {
    RpcMistake malformed = mistake(rpc_code::invalid_request, std::move(message), std::move(id));
    malformed.is_response = true;
    return malformed;
}

RpcMessage read_response(json::object& message, std::optional<RequestId> id) {
    json::value* result = message.if_contains("result");
    json::value* error = message.if_contains("error");
    if ((result == nullptr) == (error == nullptr))
        return malformed_response("a message needs either a method, a result or an error", id);
    if (result != nullptr) {
        if (!id) return malformed_response("a result needs the id of its request");
        if (!result->is_object()) return malformed_response("\"result\" must be an object", id);
        return RpcResponse{.id = std::move(id), .outcome = std::move(result->get_object())};
    }
    const json::object* members = error->if_object();
    const json::value* code = members != nullptr ? members->if_contains("code") : nullptr;
    const json::value* text = members != nullptr ? members->if_contains("message") : nullptr;
    if (code == nullptr || !code->is_int64() || text == nullptr || !text->is_string())
        return malformed_response(
            "\"error\" must have an integer \"code\" and a string \"message\"", id);
    RpcError read{.code = code->get_int64(), .message = std::string(text->get_string())};
    if (const json::value* data = members->if_contains("data")) read.data = *data;
    return RpcResponse{.id = std::move(id), .outcome = std::move(read)};
}

} // namespace

const json::value* member_of(const json::object& object, std::string_view name) {
    return object.if_contains(name);
}

const json::object* object_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr ? value->if_object() : nullptr;
}

const json::array* array_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr ? value->if_array() : nullptr;
}

std::optional<std::string_view> string_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string_view(value->get_string().data(), value->get_string().size());
}

json::value to_json(const RequestId& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
    return json::value(std::get<std::string>(id));
}

std::optional<RequestId> to_request_id(const json::value& value) {
    if (value.is_int64()) return RequestId(value.get_int64());
    if (value.is_string()) return RequestId(std::string(value.get_string()));
    return std::nullopt;
}

RpcMessage parse_message(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes)
        return mistake(rpc_code::parse_error,
                       fmt::format("the message is longer than {} bytes", max_bytes));
    if (const auto at = base::utf8::first_invalid(text))
        return mistake(rpc_code::parse_error, fmt::format("invalid UTF-8 at byte {}", *at));
    json::parse_options options;
    options.max_depth = max_message_depth;
    json::error_code error;
    json::parser parser({}, options);
    const std::size_t read = parser.write(text.data(), text.size(), error);
    if (error)
        return mistake(rpc_code::parse_error,
                       fmt::format("invalid JSON: {} at byte {}", error.message(), read));
    return read_message(parser.release());
}

RpcMessage read_message(json::value document) {
    if (document.is_array())
        return mistake(rpc_code::invalid_request,
                       "the Model Context Protocol has no batches: send one message at a time");
    json::object* message = document.if_object();
    if (message == nullptr)
        return mistake(rpc_code::invalid_request, "a message must be an object");
    const json::value* raw_id = message->if_contains("id");
    std::optional<RequestId> id;
    if (raw_id != nullptr) id = to_request_id(*raw_id);
    if (string_in(*message, "jsonrpc") != "2.0")
        return mistake(rpc_code::invalid_request, "\"jsonrpc\" must be \"2.0\"", id);
    const json::value* method = message->if_contains("method");
    if (raw_id != nullptr && !id && (method != nullptr || !raw_id->is_null()))
        return mistake(rpc_code::invalid_request, "\"id\" must be a string or an integer");
    if (method == nullptr) return read_response(*message, std::move(id));
    if (!method->is_string())
        return mistake(rpc_code::invalid_request, "\"method\" must be a string", id);
    std::string name(method->get_string());
    json::object params;
    if (json::value* given = message->if_contains("params")) {
        if (!given->is_object())
            return mistake(rpc_code::invalid_params, "\"params\" must be an object", id);
        params = std::move(given->get_object());
    }
    if (id)
        return RpcRequest{
            .id = *std::move(id), .method = std::move(name), .params = std::move(params)};
    return RpcNotification{.method = std::move(name), .params = std::move(params)};
}

json::object to_json(const RpcError& error) {
    json::object members{{"code", error.code}, {"message", error.message}};
    if (error.data) members["data"] = *error.data;
    return members;
}

std::string write_message(const RpcRequest& request) {
    json::object message = envelope();
    message["id"] = to_json(request.id);
    message["method"] = request.method;
    if (!request.params.empty()) message["params"] = request.params;
    return as_line(message);
}

std::string write_message(const RpcNotification& notification) {
    json::object message = envelope();
    message["method"] = notification.method;
    if (!notification.params.empty()) message["params"] = notification.params;
    return as_line(message);
}

std::string write_message(const RpcResponse& response) {
    json::object message = envelope();
    // An error without the id of a request: the specification has no null.
    if (response.id) message["id"] = to_json(*response.id);
    if (const auto* error = std::get_if<RpcError>(&response.outcome)) {
        message["error"] = to_json(*error);
    } else {
        message["result"] = std::get<json::object>(response.outcome);
    }
    return as_line(message);
}

} // namespace eyehand::mcp
