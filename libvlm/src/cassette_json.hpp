// The JSON of cassettes, which is lossless: numbers keep every bit, texts keep bytes that are not
// UTF-8, and embedded JSON documents keep their bytes. The same values give the same text.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::cassette {

namespace json = boost::json;

/// Maximum depth of parameters, arguments and extra fields of calls, as everywhere in libvlm.
inline constexpr std::size_t document_depth = 64;
/// Maximum depth of texts that contain such documents: a line of a cassette, the body of a request.
inline constexpr std::size_t line_depth = 96;

/// Returns nothing if `text` is not JSON; `problem` then has the reason. Numbers are read exactly;
/// Boost.JSON's own parser is not exact (it reads 0.7 as the next larger double).
[[nodiscard]] std::optional<json::value> parse(std::string_view text, std::size_t depth,
                                               std::string* problem = nullptr);

/// Prints on one line, with numbers in the shortest form that reads back the same.
[[nodiscard]] std::string print(const json::value& value);

/// Prints one indented line per member or element.
[[nodiscard]] std::vector<std::string> print_lines(const json::value& value);

/// A string, or {"bytes": each byte as the character of its number} if `text` is not UTF-8.
[[nodiscard]] json::value from_text(std::string_view text);
/// The reverse; returns nothing if `value` is neither.
[[nodiscard]] std::optional<std::string> to_text(const json::value& value);

/// `text`, which usually is a JSON object, as that object if it prints back byte for byte, else as
/// a text. This keeps schemas and arguments readable.
[[nodiscard]] json::value from_document(std::string_view text);
[[nodiscard]] std::optional<std::string> to_document(const json::value& value);

/// A number, or a string if JSON cannot represent it ("nan", "inf", "-inf").
[[nodiscard]] json::value from_double(double number);
[[nodiscard]] std::optional<double> to_double(const json::value& value);

} // namespace eyehand::vlm::cassette
