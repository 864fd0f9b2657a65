// The common parts of plain and streamed answers: text, errors, and the rejection of malformed
// fields.
#pragma once

#include "json.hpp"
#include "sse.hpp"
#include "where.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

/// Throws Error{bad_response}: "<url> <problem>: <remedy>". By default, the remedy is to check the URL.
[[noreturn]] void refuse(const Where& where, const std::string& problem,
                         std::string_view remedy = {});

/// Throws Error{bad_response} for a field that is not `expected`.
[[noreturn]] void refuse_field(const Where& where, const std::string& field,
                               std::string_view expected);

/// Returns the object of an answer or of a chunk. Throws the server's error if it contains one, and
/// Error{bad_response} if `value` is not an object. `value` was parsed from `text`.
[[nodiscard]] const boost::json::object&
successful_object(const boost::json::value& value, std::string_view text, const Where& where);

/// The JSON of an event of a stream; nothing if the end of the stream has cut it off. Throws
/// Error{bad_response} for something else than JSON.
[[nodiscard]] std::optional<boost::json::value> event_json(const ServerEvent& event,
                                                           const Where& where);

/// Throws Error{connection_lost}: the stream ended before the answer was complete.
[[noreturn]] void refuse_incomplete_stream(const Where& where);

/// The first of the answer's choices, or null if the list is missing or empty. Throws the server's
/// error if the choice contains one.
[[nodiscard]] const boost::json::object* first_choice(const boost::json::object& answer,
                                                      const Where& where);

/// The texts of a message, or of a piece of a message.
struct Words {
    std::string text{};      ///< "content": text or parts
    std::string reasoning{}; ///< from parts, "reasoning_content" or "reasoning"
    std::string refusal{};   ///< replaces missing text
};

[[nodiscard]] Words decode_words(const boost::json::object& message, const Where& where);

/// The members of a tool call, with their types checked. Null: missing.
struct CallFields {
    const boost::json::object* call = nullptr;
    const boost::json::object* function = nullptr; ///< its "function"
    std::string_view id{};
    std::string_view name{};
    const boost::json::value* arguments = nullptr;
};

/// Maximum length of the id and of the name of a call, in bytes.
inline constexpr std::size_t max_call_name = 1000;
[[noreturn]] void refuse_long_name(const Where& where);

/// `value` is an element of "tool_calls".
[[nodiscard]] CallFields decode_call_fields(const boost::json::value& value, const Where& where);

/// Maximum number of calls in one answer. More are useless, and comparing their ids takes too long.
inline constexpr std::size_t max_calls = 1000;
[[noreturn]] void refuse_so_many_calls(const Where& where);

/// Maximum length of the arguments of one call, and of its unknown members, in bytes.
inline constexpr std::size_t max_arguments = std::size_t{1} << 20;
[[noreturn]] void refuse_long_arguments(const Where& where);

/// The list of calls, or null if it is missing.
[[nodiscard]] const boost::json::array* tool_call_list(const boost::json::object& message,
                                                       const Where& where);

/// Copies the unknown members of a call to `call` and `function`.
void copy_unknown_fields(const CallFields& fields, boost::json::object& call,
                         boost::json::object& function);

} // namespace eyehand::vlm::wire
