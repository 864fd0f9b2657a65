// Parses untrusted JSON, with a limit on nesting.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace eyehand::vlm::wire {

/// Deeper nesting is an error: tool arguments are only a few levels deep, and values are printed
/// and destroyed by recursion. (Boost.JSON's own default is 32.)
inline constexpr std::size_t max_json_depth = 64;

/// A number that is too large for a double becomes the largest double, so that it can be printed.
[[nodiscard]] boost::json::value parse_json(std::string_view text,
                                            boost::system::error_code& error);

/// Returns nothing if `text` is not JSON.
[[nodiscard]] std::optional<boost::json::value> parse_json(std::string_view text);

/// The same, but strings may be split within a character. Such strings of the result are not valid
/// UTF-8; join them with `Utf8Joiner`.
[[nodiscard]] std::optional<boost::json::value> parse_json_fragment(std::string_view text);

/// The member, or null if it is missing or JSON's null.
[[nodiscard]] const boost::json::value* member(const boost::json::object& object,
                                               std::string_view name);

/// The member's text, or empty if it is missing or not a string.
[[nodiscard]] std::string_view string_member(const boost::json::object& object,
                                             std::string_view name);

/// The member if it is a whole number that fits, else nothing.
[[nodiscard]] std::optional<std::int64_t> integer_member(const boost::json::object& object,
                                                         std::string_view name);

/// The member if it is an object, else null.
[[nodiscard]] const boost::json::object* object_member(const boost::json::object& object,
                                                       std::string_view name);

} // namespace eyehand::vlm::wire
