#include "dialects/call_syntax.hpp"

#include "base/text.hpp"
#include "eyehand/base/utf8.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t max_calls = 64; // more is a model that repeats itself
constexpr int max_depth = 8;

/// Why the text cannot be read; caught in `parse_calls`.
class SyntaxProblem : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class CallReader {
public:
    CallReader(std::string_view text, StringSyntax strings) : text_(text), strings_(strings) {}

    std::vector<ParsedCall> calls() {
        std::vector<ParsedCall> all;
        for (skip_between(); !at_end(); skip_between()) {
            if (all.size() == max_calls)
                throw SyntaxProblem(fmt::format("there are more than {} actions", max_calls));
            if (skip_import()) continue;
            all.push_back(call());
            end_of_statement();
        }
        return all;
    }

private:
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool is_python() const { return strings_ == StringSyntax::python; }

    bool skip(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void skip_spaces() {
        while (!at_end() && is_space(peek())) ++at_;
    }
    void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
    /// Spaces, and comments of Python.
    void skip_blank() {
        for (skip_spaces(); is_python() && peek() == '#'; skip_spaces()) skip_line();
    }
    void skip_between() {
        for (skip_blank(); peek() == ';'; skip_blank()) ++at_;
    }

    /// "import pyautogui", "import time", "import pyautogui, time": they change nothing.
    bool skip_import() {
        if (!is_python() || !text_.substr(at_).starts_with("import ")) return false;
        const std::size_t end = std::min(text_.find_first_of("\n;", at_), text_.size());
        std::string names(text_.substr(at_ + 7, end - at_ - 7));
        std::replace(names.begin(), names.end(), ',', ' ');
        std::string_view rest = names;
        while (!(rest = trim(rest)).empty()) {
            const std::string_view name = rest.substr(0, rest.find(' '));
            if (name != "pyautogui" && name != "time")
                throw SyntaxProblem(fmt::format("\"import {}\" is not an action", name));
            rest.remove_prefix(name.size());
        }
        at_ = end;
        return true;
    }

    std::string identifier() {
        if (!is_letter(peek())) fail();
        const std::size_t start = at_;
        while (is_letter(peek()) || is_digit(peek())) ++at_;
        return std::string(text_.substr(start, at_ - start));
    }

    ParsedCall call() {
        ParsedCall call;
        call.name = identifier();
        while (skip(".")) call.name += "." + identifier();
        if (peek() == ' ') skip_spaces();
        if (!skip("("))
            throw SyntaxProblem(fmt::format("\"{}\" is not followed by \"(\"", call.name));
        for (skip_blank(); !skip(")"); skip_blank()) {
            CallArgument next = argument();
            check_order(call, next);
            call.arguments.push_back(std::move(next));
            skip_blank();
            if (!skip(",") && peek() != ')')
                throw SyntaxProblem(
                    at_end() ? fmt::format("the arguments of \"{}\" do not end", call.name)
                             : fmt::format("the arguments of \"{}\" cannot be read at \"{}\"",
                                           call.name, next_words()));
        }
        return call;
    }

    /// No argument twice; in Python, arguments by position come first.
    void check_order(const ParsedCall& call, const CallArgument& next) const {
        const auto& given = call.arguments;
        if (given.size() == max_calls)
            throw SyntaxProblem(fmt::format("\"{}\" has too many arguments", call.name));
        if (is_python() && next.name.empty() && !given.empty() && !given.back().name.empty())
            throw SyntaxProblem(
                fmt::format("the arguments of \"{}\" without names must come first", call.name));
        if (!next.name.empty() &&
            std::any_of(given.begin(), given.end(),
                        [&](const CallArgument& it) { return it.name == next.name; }))
            throw SyntaxProblem(
                fmt::format("\"{}\" has the argument \"{}\" twice", call.name, next.name));
    }

    CallArgument argument() {
        CallArgument argument;
        const std::size_t start = at_;
        if (is_letter(peek())) {
            argument.name = identifier();
            skip_spaces();
            if (peek() != '=' || peek(1) == '=') {
                argument.name.clear();
                at_ = start;
            } else {
                ++at_;
                skip_blank();
            }
        }
        argument.value = literal(0);
        return argument;
    }

    Literal literal(int depth) {
        if (depth > max_depth) throw SyntaxProblem("lists are nested too deeply");
        if (const auto text = string()) return {*text};
        if (peek() == '[' || peek() == '(') return list(depth);
        if (is_letter(peek())) return word();
        return number();
    }

    Literal list(int depth) {
        const char close = peek() == '[' ? ']' : ')';
        ++at_;
        Literal::List items;
        for (skip_blank(); peek() != close; skip_blank()) {
            items.push_back(literal(depth + 1));
            skip_blank();
            if (!skip(",") && peek() != close)
                throw SyntaxProblem(
                    at_end() ? std::string("a list does not end")
                             : fmt::format("a list cannot be read at \"{}\"", next_words()));
        }
        ++at_;
        return {std::move(items)};
    }

    Literal word() {
        const std::string name = identifier();
        if (name == "True" || name == "true") return {true};
        if (name == "False" || name == "false") return {false};
        if (name == "None" || name == "null") return {};
        throw SyntaxProblem(fmt::format("\"{}\" is not a number, a text or a list", name));
    }

    Literal number() {
        const std::size_t start = at_;
        if (peek() == '-' || peek() == '+') ++at_;
        while (
            is_digit(peek()) || peek() == '.' || peek() == 'e' || peek() == 'E' ||
            ((peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
            ++at_;
        std::string_view digits = text_.substr(start, at_ - start);
        if (digits.starts_with('+')) digits.remove_prefix(1);
        double value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
            at_ = start;
            fail();
        }
        return {value};
    }

    /// A string, or several that follow each other.
    std::optional<std::string> string() {
        std::optional<std::string> whole;
        while (true) {
            const std::size_t before = at_;
            const auto piece = one_string();
            if (!piece) {
                if (whole) at_ = before;
                return whole;
            }
            whole = whole.value_or("") + *piece;
            if (!is_python()) return whole;
            skip_blank();
        }
    }

    std::optional<std::string> one_string() {
        bool raw = false;
        if (is_python() && is_letter(peek()) && (peek(1) == '\'' || peek(1) == '"')) {
            if (peek() == 'f' || peek() == 'F' || peek() == 'b' || peek() == 'B')
                throw SyntaxProblem("a text must be a plain string, without f or b before it");
            raw = peek() == 'r' || peek() == 'R';
            if (!raw && peek() != 'u') return std::nullopt;
            ++at_;
        }
        if (peek() != '\'' && peek() != '"') return std::nullopt;
        const char mark = peek();
        const bool is_long = peek(1) == mark && peek(2) == mark;
        at_ += is_long ? 3 : 1;
        std::string text;
        while (true) {
            if (at_end()) throw SyntaxProblem("a text does not end");
            if (is_long ? text_.substr(at_).starts_with(std::string(3, mark)) : ends_string(mark)) {
                at_ += is_long ? 3 : 1;
                return text;
            }
            if (peek() == '\\' && !raw)
                escape(text);
            else if (peek() == '\n' && is_python() && !is_long)
                throw SyntaxProblem("a text in single quotation marks does not end on its line");
            else
                text += text_[at_++];
        }
    }

    /// Whether the character ends a string that began with `mark`.
    [[nodiscard]] bool ends_string(char mark) const {
        if (peek() != mark) return false;
        if (is_python()) return true;
        std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
        if (next == std::string_view::npos) return false;
        if (text_[next] == ')') {
            next = text_.find_first_not_of(" \t\r", next + 1);
            return next == std::string_view::npos || text_[next] == '\n' || text_[next] == ';';
        }
        if (text_[next] != ',') return false;
        next = text_.find_first_not_of(" \t\r\n", next + 1);
        if (next == std::string_view::npos) return false;
        if (text_[next] == '\'' || text_[next] == '"') return true; // an argument by position
        std::size_t end = next;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
        return end > next && end < text_.size() && text_[end] == '=';
    }

    void escape(std::string& text) {
        ++at_;
        if (at_end()) throw SyntaxProblem("a text does not end");
        const char kind = text_[at_++];
        switch (kind) {
        case 'n':
            text += '\n';
            break;
        case 't':
            text += '\t';
            break;
        case 'r':
            text += '\r';
            break;
        case '\\':
        case '\'':
        case '"':
            text += kind;
            break;
        case '\n':
            if (!is_python()) text += "\\\n";
            break;
        case 'x':
        case 'u':
        case 'U':
            if (!is_python() && kind != 'u')
                text += {'\\', kind};
            else
                code_point(kind, text);
            break;
        default:
            text += {'\\', kind};
        }
    }

    /// \xHH, \uHHHH or \UHHHHHHHH; without the digits, the characters stay.
    void code_point(char kind, std::string& text) {
        const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
        char32_t scalar = 0;
        if (!hex(digits, scalar)) {
            text += {'\\', kind};
            return;
        }
        // Two halves of a code point, as in JSON.
        if (scalar >= 0xD800 && scalar < 0xDC00 && peek() == '\\' && peek(1) == 'u') {
            at_ += 2;
            char32_t low = 0;
            if (hex(4, low) && low >= 0xDC00 && low < 0xE000)
                scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
        }
        if (scalar == 0 || scalar > 0x10FFFF || (scalar >= 0xD800 && scalar < 0xE000))
            throw SyntaxProblem("a text contains an escape that is not a character");
        base::utf8::append(text, scalar);
    }

    bool hex(std::size_t digits, char32_t& value) {
        const std::string_view text = text_.substr(at_, digits);
        std::uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, 16);
        if (text.size() != digits || error != std::errc() || end != text.data() + text.size())
            return false;
        at_ += digits;
        value = number;
        return true;
    }

    /// A call ends its line, except that a semicolon or a comment may follow.
    void end_of_statement() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
        if (at_end() || peek() == '\n' || peek() == ';' || (is_python() && peek() == '#')) return;
        fail();
    }

    [[nodiscard]] std::string next_words() const {
        return shorten(one_line(std::string(text_.substr(at_, 80))), 24);
    }
    [[noreturn]] void fail() const {
        throw SyntaxProblem(at_end() ? std::string("the text ends too early")
                                     : fmt::format("it cannot be read at \"{}\"", next_words()));
    }

    std::string_view text_;
    StringSyntax strings_;
    std::size_t at_ = 0;
};

json::value json_value(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal.value)) return *flag;
    if (const auto* text = std::get_if<std::string>(&literal.value)) return json::string(*text);
    if (const auto* number = std::get_if<double>(&literal.value)) {
        constexpr double exact = 9007199254740992.0; // 2^53
        if (std::trunc(*number) == *number && std::abs(*number) < exact)
            return static_cast<std::int64_t>(*number);
        return *number;
    }
    if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
        json::array items;
        for (const Literal& item : *list) items.push_back(json_value(item));
        return items;
    }
    return nullptr;
}

} // namespace

const Literal* ParsedCall::find(std::string_view names, std::size_t position) const {
    for (const CallArgument& argument : arguments) {
        if (argument.name.empty()) continue;
        for (std::string_view rest = names; !rest.empty();) {
            const std::size_t bar = std::min(rest.find('|'), rest.size());
            if (argument.name == rest.substr(0, bar)) return &argument.value;
            rest.remove_prefix(std::min(bar + 1, rest.size()));
        }
    }
    if (position >= arguments.size() || !arguments[position].name.empty()) return nullptr;
    return &arguments[position].value;
}

ParsedCalls parse_calls(std::string_view text, StringSyntax strings) {
    ParsedCalls result;
    try {
        result.calls = CallReader(text, strings).calls();
    } catch (const SyntaxProblem& problem) {
        result.problem = problem.what();
    }
    return result;
}

std::string text_of(const Literal& literal) {
    if (const auto* text = std::get_if<std::string>(&literal.value)) return *text;
    return json_of(literal);
}

std::string json_of(const Literal& literal) { return to_text(json_value(literal)); }

} // namespace eyehand::agent
