#include "prompt_functions.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cstddef>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr std::string_view prompt_prefix = "prompt.";
constexpr std::string_view heading = "Functions:";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

void skip_blanks(std::string_view& text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

std::string_view take_line(std::string_view& text) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    skip_blanks(line);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

// The functions below take what they read from the beginning of the text.

bool take(std::string_view& text, char c) {
    skip_blanks(text);
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

std::string_view take_name(std::string_view& text) {
    skip_blanks(text);
    const auto length = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_in_name) - text.begin());
    const std::string_view name = text.substr(0, length);
    text.remove_prefix(length);
    return name;
}

// An example of a value: quoted text, a list or words, until the next argument or the end.
bool take_value(std::string_view& text) {
    char quote = '\0';
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            if (c == '\\') ++i;
            if (c == quote) quote = '\0';
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (depth == 0 && (c == ',' || c == ')')) {
            text.remove_prefix(i);
            return true;
        } else if (c == '[' || c == '(') {
            ++depth;
        } else if (c == ']' || c == ')') {
            --depth;
        }
    }
    return false;
}

std::optional<json::object> take_arguments(std::string_view& text) {
    json::object arguments;
    if (!take(text, '(')) return std::nullopt;
    while (!take(text, ')')) {
        const std::string_view name = take_name(text);
        if (name.empty() || !take(text, '=') || !take_value(text)) return std::nullopt;
        arguments[name] = json::object{{"type", "string"}};
        (void)take(text, ',');
    }
    return arguments;
}

std::optional<json::value> function_in(std::string_view line) {
    const std::string_view name = take_name(line);
    if (name.empty()) return std::nullopt;
    auto arguments = take_arguments(line);
    if (!arguments || (!line.empty() && !take(line, ':'))) return std::nullopt;
    return tool_with(std::string(prompt_prefix).append(name), std::move(*arguments));
}

} // namespace

json::array prompt_functions(std::string_view text) {
    json::array functions;
    while (!text.empty() && take_line(text) != heading) {
    }
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.empty()) continue;
        auto function = function_in(line);
        if (!function) break;
        functions.push_back(std::move(*function));
    }
    return functions;
}

std::optional<std::string> prompt_function(const ToolCall& call) {
    if (!call.name.starts_with(prompt_prefix)) return std::nullopt;
    return call.name.substr(prompt_prefix.size());
}

} // namespace stand_in
