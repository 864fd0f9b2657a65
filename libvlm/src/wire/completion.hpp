// What plain and streamed answers have in common: how words are delivered, what is an error, and how
// a server's nonsense is refused.
#pragma once

#include "json.hpp"
#include "where.hpp"

#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

/// Throws Error{bad_response}: "<url> <problem>: <remedy>".
[[noreturn]] void
refuse(const Where& where, const std::string& problem,
       std::string_view remedy = "is the URL right? It should end in /v1 or /v1/chat/completions");

/// Throws Error{bad_response} for a field that is not what it should be.
[[noreturn]] void refuse_field(const Where& where, const std::string& field,
                               std::string_view expected);

/// The object of an answer or a chunk of one, once it is known not to be an error. Throws the
/// server's error, or Error{bad_response} for what is no object. `text` is what `value` was parsed
/// from.
[[nodiscard]] const boost::json::object&
successful_object(const boost::json::value& value, std::string_view text, const Where& where);

/// The first of the answer's choices, or null if the list is missing or empty. Throws the server's
/// error if the choice holds one.
[[nodiscard]] const boost::json::object* first_choice(const boost::json::object& answer,
                                                      const Where& where);

/// The words of a message, or of a piece of one.
struct Words {
    std::string text{};      ///< "content": text or parts
    std::string reasoning{}; ///< of such parts, "reasoning_content" or "reasoning"
    std::string refusal{};   ///< stands in place of missing text
};

[[nodiscard]] Words decode_words(const boost::json::object& message, const Where& where);

/// The members of a tool call, checked for what matters. Null: missing.
struct CallFields {
    const boost::json::object* call = nullptr;
    const boost::json::object* function = nullptr; ///< its "function"
    std::string_view id{};
    std::string_view name{};
    const boost::json::value* arguments = nullptr;
};

/// `value` is an element of "tool_calls".
[[nodiscard]] CallFields decode_call_fields(const boost::json::value& value, const Where& where);

/// More calls in one answer are nonsense, and looking each of them up among the others takes for ever.
inline constexpr std::size_t max_calls = 1000;
[[noreturn]] void refuse_so_many_calls(const Where& where);

/// The list of calls, or null if it is missing.
[[nodiscard]] const boost::json::array* tool_call_list(const boost::json::object& message,
                                                       const Where& where);

/// Adds to `call` and `function` the members of a call that nobody here knows.
void copy_unknown_fields(const CallFields& fields, boost::json::object& call,
                         boost::json::object& function);

} // namespace eyehand::vlm::wire
