#include "cassette_json.hpp"

#include "eyehand/base/utf8.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace eyehand::vlm::cassette {
namespace {

using JsonProblem = boost::system::error_code;
using Text = json::string_view;

// --- Reading ----------------------------------------------------------------------------------

std::optional<double> exact_double(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Handler for Boost.JSON's parser. Builds the value like Boost.JSON's own handler, except for
/// doubles.
struct Builder {
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    json::value_stack stack{};
    std::string number{}; // the part of an unfinished number that has been read

    bool on_document_begin(JsonProblem&) { return true; }
    bool on_document_end(JsonProblem&) { return true; }
    bool on_object_begin(JsonProblem&) { return true; }
    bool on_object_end(std::size_t members, JsonProblem&) {
        stack.push_object(members);
        return true;
    }
    bool on_array_begin(JsonProblem&) { return true; }
    bool on_array_end(std::size_t elements, JsonProblem&) {
        stack.push_array(elements);
        return true;
    }
    bool on_key_part(Text text, std::size_t, JsonProblem&) { return on_chars(text); }
    bool on_key(Text text, std::size_t, JsonProblem&) {
        stack.push_key(text);
        return true;
    }
    bool on_string_part(Text text, std::size_t, JsonProblem&) { return on_chars(text); }
    bool on_string(Text text, std::size_t, JsonProblem&) {
        stack.push_string(text);
        return true;
    }
    bool on_number_part(Text text, JsonProblem&) {
        number.append(text.data(), text.size());
        return true;
    }
    bool on_int64(std::int64_t value, Text, JsonProblem&) {
        number.clear();
        stack.push_int64(value);
        return true;
    }
    bool on_uint64(std::uint64_t value, Text, JsonProblem&) {
        number.clear();
        stack.push_uint64(value);
        return true;
    }
    bool on_double(double, Text text, JsonProblem& problem) {
        const std::string whole = std::exchange(number, {}).append(text.data(), text.size());
        const std::optional<double> value = exact_double(whole);
        if (!value) {
            problem = json::make_error_code(json::error::exponent_overflow);
            return false;
        }
        stack.push_double(*value);
        return true;
    }
    bool on_bool(bool value, JsonProblem&) {
        stack.push_bool(value);
        return true;
    }
    bool on_null(JsonProblem&) {
        stack.push_null();
        return true;
    }
    bool on_comment_part(Text, JsonProblem&) { return true; }
    bool on_comment(Text, JsonProblem&) { return true; }

private:
    bool on_chars(Text text) {
        stack.push_chars(text);
        return true;
    }
};

// --- Printing ---------------------------------------------------------------------------------

std::string shortest(double number) {
    std::array<char, 32> text{}; // the longest double has 24 characters
    const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), result.ptr};
}

std::string in_quotes(Text text) { return json::serialize(text); }

/// Precondition: `value` is neither an array nor an object.
std::string scalar(const json::value& value) {
    if (const double* number = value.if_double()) return shortest(*number);
    return json::serialize(value);
}

void print_into(std::string& out, const json::value& value) {
    auto separate = [&, first = true]() mutable {
        if (!std::exchange(first, false)) out += ',';
    };
    if (const json::array* array = value.if_array()) {
        out += '[';
        for (const json::value& element : *array) {
            separate();
            print_into(out, element);
        }
        out += ']';
    } else if (const json::object* object = value.if_object()) {
        out += '{';
        for (const auto& [key, member] : *object) {
            separate();
            out += in_quotes(key);
            out += ':';
            print_into(out, member);
        }
        out += '}';
    } else {
        out += scalar(value);
    }
}

/// Appends to the last line, and adds lines for nested values.
void print_into(std::vector<std::string>& lines, const json::value& value, std::size_t indent) {
    auto begin_line = [&, first = true](std::size_t spaces) mutable {
        if (!std::exchange(first, false) && spaces > indent) lines.back() += ',';
        lines.emplace_back(spaces, ' ');
    };
    const std::size_t inside = indent + 2;
    if (const json::array* array = value.if_array(); array && !array->empty()) {
        lines.back() += '[';
        for (const json::value& element : *array) {
            begin_line(inside);
            print_into(lines, element, inside);
        }
        begin_line(indent);
        lines.back() += ']';
    } else if (const json::object* object = value.if_object(); object && !object->empty()) {
        lines.back() += '{';
        for (const auto& [key, member] : *object) {
            begin_line(inside);
            lines.back() += in_quotes(key) + ": ";
            print_into(lines, member, inside);
        }
        begin_line(indent);
        lines.back() += '}';
    } else {
        lines.back() += scalar(value);
    }
}

// --- Bytes ------------------------------------------------------------------------------------

constexpr std::string_view bytes_key = "bytes";

/// Whether `object` would be read back as the bytes of a text.
bool looks_like_bytes(const json::object& object) {
    return object.size() == 1 && std::string_view(object.begin()->key()) == bytes_key;
}

} // namespace

std::optional<json::value> parse(std::string_view text, std::size_t depth, std::string* problem) {
    json::parse_options options;
    options.max_depth = depth;
    json::basic_parser<Builder> parser(options);
    parser.handler().stack.reset();
    JsonProblem error;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
    if (!error && read < text.size()) error = json::make_error_code(json::error::extra_data);
    if (!error) return parser.handler().stack.release();
    if (problem) *problem = error.message() + " at byte " + std::to_string(read + 1);
    return std::nullopt;
}

std::string print(const json::value& value) {
    std::string out;
    print_into(out, value);
    return out;
}

std::vector<std::string> print_lines(const json::value& value) {
    std::vector<std::string> lines(1);
    print_into(lines, value, 0);
    return lines;
}

json::value from_text(std::string_view text) {
    if (!base::utf8::first_invalid(text)) return json::string(text);
    return json::object{{bytes_key, base::utf8::from_latin1(text)}};
}

std::optional<std::string> to_text(const json::value& value) {
    if (const json::string* text = value.if_string()) return std::string(*text);
    const json::object* object = value.if_object();
    if (!object || !looks_like_bytes(*object)) return std::nullopt;
    const json::string* text = object->begin()->value().if_string();
    return text ? base::utf8::to_latin1(*text) : std::nullopt;
}

json::value from_document(std::string_view text) {
    std::optional<json::value> value = parse(text, document_depth);
    if (value && value->is_object() && !looks_like_bytes(value->get_object()) &&
        print(*value) == text)
        return std::move(*value);
    return from_text(text);
}

std::optional<std::string> to_document(const json::value& value) {
    const json::object* object = value.if_object();
    return object && !looks_like_bytes(*object) ? print(value) : to_text(value);
}

json::value from_double(double number) {
    if (std::isfinite(number)) return number;
    return json::string(shortest(number));
}

std::optional<double> to_double(const json::value& value) {
    if (const json::string* text = value.if_string()) return exact_double(*text);
    if (!value.is_number()) return std::nullopt;
    return value.to_number<double>();
}

} // namespace eyehand::vlm::cassette
