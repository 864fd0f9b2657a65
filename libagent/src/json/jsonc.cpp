#include "json/jsonc.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

/// Boost.JSON does not report lines. Therefore this class finds the members, and Boost.JSON parses
/// their values.
class Reader {
public:
    Reader(std::string_view text, JsoncProblem& problem) : text_(text), problem_(problem) {
        if (text_.starts_with("\xEF\xBB\xBF"))
            at_ = 3; // a byte order mark, which editors on Windows write
    }

    std::optional<std::vector<JsoncMember>> read() {
        std::vector<JsoncMember> members;
        if (!skip_space()) return std::nullopt;
        if (!take('{')) return fail("an object is expected: { ... }");
        for (;;) {
            if (!skip_space()) return std::nullopt;
            if (take('}')) break;
            JsoncMember member;
            member.line = line_at(at_);
            if (!read_name(member.name) || !read_value(member.value)) return std::nullopt;
            members.push_back(std::move(member));
            if (!skip_space()) return std::nullopt;
            if (take('}')) break;
            if (!take(',')) return fail("a comma or the closing brace is expected");
        }
        if (!skip_space()) return std::nullopt;
        if (at_ != text_.size()) return fail("unexpected text after the closing brace");
        return members;
    }

private:
    [[nodiscard]] bool ends() const { return at_ >= text_.size(); }
    [[nodiscard]] int line_at(std::size_t place) const {
        const auto begin = text_.begin();
        return 1 + static_cast<int>(
                       std::count(begin, begin + static_cast<std::ptrdiff_t>(place), '\n'));
    }
    std::nullopt_t fail(std::string reason) {
        problem_ = {line_at(std::min(at_, text_.size())), std::move(reason)};
        return std::nullopt;
    }
    bool take(char c) {
        if (ends() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    /// Skips white space and comments; returns false for an unclosed comment.
    bool skip_space() {
        for (;;) {
            at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
            if (text_.substr(at_, 2) == "//") {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_.substr(at_, 2) == "/*") {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) {
                    fail("the comment is not closed");
                    return false;
                }
                at_ = end + 2;
            } else {
                return true;
            }
        }
    }
    /// Skips the string that begins here; returns false if it is not closed.
    bool skip_string() {
        for (++at_; !ends(); ++at_) {
            if (text_[at_] == '\\') {
                ++at_;
            } else if (text_[at_] == '"') {
                ++at_;
                return true;
            }
        }
        return false;
    }
    bool parse(std::size_t from, json::value& into) {
        json::parse_options options;
        options.max_depth = 32;
        options.allow_comments = true;
        options.allow_trailing_commas = true;
        json::error_code error;
        json::value value = json::parse({text_.data() + from, at_ - from}, error, {}, options);
        if (error) {
            at_ = from;
            fail("this is not JSON: " + error.message());
            return false;
        }
        into = std::move(value);
        return true;
    }
    bool read_name(std::string& name) {
        const std::size_t from = at_;
        if (ends() || text_[at_] != '"') {
            fail("a setting's name in quotation marks is expected");
            return false;
        }
        if (!skip_string()) {
            at_ = from;
            fail("the name has no closing quotation mark");
            return false;
        }
        json::value value;
        if (!parse(from, value)) return false;
        name.assign(value.as_string().data(), value.as_string().size());
        if (!skip_space()) return false;
        if (!take(':')) {
            fail("a colon is expected after the name");
            return false;
        }
        return skip_space();
    }
    bool read_value(json::value& value) {
        const std::size_t from = at_;
        int depth = 0;
        while (!ends()) {
            const char c = text_[at_];
            if (c == '"') {
                if (!skip_string()) break;
            } else if (c == '/') {
                const std::size_t before = at_;
                if (!skip_space()) return false;
                if (at_ == before) ++at_; // not a comment: parsing will fail
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break;
                --depth;
                ++at_;
            } else if (c == ',' && depth == 0) {
                break;
            } else {
                ++at_;
            }
        }
        at_ = std::min(at_, text_.size());
        return parse(from, value);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    JsoncProblem& problem_;
};

} // namespace

std::optional<std::vector<JsoncMember>> parse_jsonc(std::string_view text, JsoncProblem& problem) {
    return Reader(text, problem).read();
}

} // namespace eyehand::agent
