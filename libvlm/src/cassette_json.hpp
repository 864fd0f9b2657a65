// The JSON of cassettes, in which nothing is lost: numbers keep every bit, texts keep bytes that are
// not UTF-8, and JSON documents within keep theirs. The same values give the same text.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::cassette {

namespace json = boost::json;

/// What parameters, arguments and further fields of calls may be nested, as everywhere in libvlm.
inline constexpr std::size_t document_depth = 64;
/// The same for what holds such documents: a line of a cassette, the body of a request.
inline constexpr std::size_t line_depth = 96;

/// Nothing if `text` is not JSON; `problem` then says why. Numbers are read exactly, which
/// Boost.JSON's own parser does not do (0.7 becomes the double behind it).
[[nodiscard]] std::optional<json::value> parse(std::string_view text, std::size_t depth,
                                               std::string* problem = nullptr);

/// On one line; numbers in the shortest form that reads back the same.
[[nodiscard]] std::string print(const json::value& value);

/// One line a member or element, indented.
[[nodiscard]] std::vector<std::string> print_lines(const json::value& value);

/// A string, or {"bytes": each byte as the character of its number} if `text` is not UTF-8.
[[nodiscard]] json::value from_text(std::string_view text);
/// Nothing if `value` is neither.
[[nodiscard]] std::optional<std::string> to_text(const json::value& value);

/// `text`, which usually is a JSON object, as that object if it prints back byte for byte, else
/// as a text: so that people can read schemas and arguments.
[[nodiscard]] json::value from_document(std::string_view text);
[[nodiscard]] std::optional<std::string> to_document(const json::value& value);

/// A number, or a string for what JSON has no number for ("nan", "inf", "-inf").
[[nodiscard]] json::value from_double(double number);
[[nodiscard]] std::optional<double> to_double(const json::value& value);

} // namespace eyehand::vlm::cassette
