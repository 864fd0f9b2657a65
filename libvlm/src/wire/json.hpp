// JSON from strangers, with the one limit on nesting.
#pragma once

#include <boost/json.hpp>

#include <optional>
#include <string_view>

namespace eyehand::vlm::wire {

/// Deeper nesting is refused: tool arguments are a few levels deep, and what is parsed is also
/// printed and destroyed by recursion. (Boost.JSON's own default is 32.)
inline constexpr std::size_t max_json_depth = 64;

/// A number that is too large for a double becomes the largest one: what is read can be printed.
[[nodiscard]] boost::json::value parse_json(std::string_view text,
                                            boost::system::error_code& error);

/// Nothing if `text` is not JSON.
[[nodiscard]] std::optional<boost::json::value> parse_json(std::string_view text);

/// The same, but text in it may be cut within a character: the strings of the result are then not
/// valid UTF-8, and for `Utf8Joiner` to put together.
[[nodiscard]] std::optional<boost::json::value> parse_json_fragment(std::string_view text);

/// The member, or null if it is missing or JSON's null.
[[nodiscard]] const boost::json::value* member(const boost::json::object& object,
                                               std::string_view name);

/// The member's text, or empty if it is missing or no string.
[[nodiscard]] std::string_view string_member(const boost::json::object& object,
                                             std::string_view name);

/// The member if it is an object, else null.
[[nodiscard]] const boost::json::object* object_member(const boost::json::object& object,
                                                       std::string_view name);

} // namespace eyehand::vlm::wire
