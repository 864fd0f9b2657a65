#include "quotation.hpp"

#include "utf8.hpp"

#include <algorithm>

namespace eyehand::vlm::wire {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t tab_stop = 4;
constexpr std::size_t code_indentation = 4; // of an indented code block
constexpr std::size_t min_fence = 3;

/// A quotation mark. Marks that open a quotation in one language and close it in another one
/// toggle.
struct Mark {
    enum class Effect { open, close, toggle };
    std::string_view bytes;
    std::size_t kind;
    Effect effect;
};

// Straight marks depend on the characters next to them.
constexpr std::size_t straight = 0;
constexpr std::size_t straight_single = 1;
constexpr std::size_t curly_single = 2;

constexpr std::array<Mark, 17> marks{{
    {"\xE2\x80\x98", curly_single, Mark::Effect::open},  // ‘
    {"\xE2\x80\x99", curly_single, Mark::Effect::close}, // ’
    {"\xE2\x80\x9A", curly_single, Mark::Effect::open},  // ‚
    {"\xE2\x80\x9B", curly_single, Mark::Effect::open},  // ‛
    {"\xE2\x80\x9C", 3, Mark::Effect::toggle},           // “: closes „
    {"\xE2\x80\x9D", 3, Mark::Effect::close},            // ”
    {"\xE2\x80\x9E", 3, Mark::Effect::open},             // „
    {"\xE2\x80\x9F", 3, Mark::Effect::open},             // ‟
    {"\xC2\xAB", 4, Mark::Effect::toggle},               // «
    {"\xC2\xBB", 4, Mark::Effect::toggle},               // »
    {"\xE2\x80\xB9", 4, Mark::Effect::toggle},           // ‹
    {"\xE2\x80\xBA", 4, Mark::Effect::toggle},           // ›
    {"\xE3\x80\x8C", 5, Mark::Effect::open},             // 「
    {"\xE3\x80\x8D", 5, Mark::Effect::close},            // 」
    {"\xE3\x80\x8E", 5, Mark::Effect::open},             // 『
    {"\xE3\x80\x8F", 5, Mark::Effect::close},            // 』
    {"\xEF\xBC\x82", straight, Mark::Effect::toggle},    // ＂
}};

constexpr std::array<std::string_view, 5> quoting_tags{"pre", "code", "blockquote", "q",
                                                       "tool_response"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of characters outside ASCII count as letters.
bool is_word_byte(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_blank(std::string_view line) {
    return std::all_of(line.begin(), line.end(), [](char c) { return is_space(c); });
}

std::size_t run_length(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(text[at], at), text.size()) - at;
}

/// The length of the marker of a list item ("- ", "12. ") at the beginning of `text`, or 0.
std::size_t list_marker(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) ++length;
    const std::string_view ends = length == 0 ? "-*+" : ".)";
    if (length >= text.size() || ends.find(text[length]) == npos) return 0;
    ++length;
    return length < text.size() && is_space(text[length]) ? length : 0;
}

} // namespace

QuotationReader::QuotationReader(std::string_view text) : text_(text) {
    for (std::size_t at = text.find('`'); at != npos; at = text.find('`', at)) {
        const std::size_t length = run_length(text, at);
        backticks_[length].push_back(at);
        at += length;
    }
}

bool QuotationReader::is_quoted(std::size_t at) {
    read_to(at);
    if (line_begins_) begin_line();
    return fence_ != '\0' || at < code_end_ || in_block_quote_ ||
           indentation_ >= code_indentation ||
           std::find(open_marks_.begin(), open_marks_.end(), true) != open_marks_.end() ||
           std::any_of(open_tags_.begin(), open_tags_.end(), [](int count) { return count > 0; });
}

void QuotationReader::skip_to(std::size_t at) {
    if (at <= at_) return;
    line_begins_ = text_[at - 1] == '\n';
    at_ = at;
}

void QuotationReader::read_to(std::size_t end) {
    while (at_ < end) {
        if (line_begins_) {
            begin_line();
            continue;
        }
        const char c = text_[at_];
        if (c == '\n') {
            line_begins_ = true;
            ++at_;
        } else if (fence_ != '\0') {
            at_ = std::min({text_.find('\n', at_), text_.size(), end});
        } else if (at_ < code_end_) { // NOLINT(bugprone-branch-clone): in the order of precedence
            ++at_;
        } else if (c == '`') {
            read_backticks();
        } else if (c == '<') {
            read_tag();
        } else if (c == '"' || c == '\'' || static_cast<unsigned char>(c) >= 0x80) {
            read_mark();
        } else {
            ++at_;
        }
    }
}

/// Reads what precedes the content of a line.
void QuotationReader::begin_line() {
    line_begins_ = false;
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, line_end - at_);
    indentation_ = 0;
    if (is_blank(line)) {
        in_block_quote_ = false;
        open_marks_[straight_single] = open_marks_[curly_single] = false;
        return;
    }
    std::size_t at = 0;
    for (; line[at] == ' ' || line[at] == '\t'; ++at)
        indentation_ =
            line[at] == ' ' ? indentation_ + 1 : (indentation_ / tab_stop + 1) * tab_stop;
    while (at < line.size()) {
        if (line[at] == '>')
            in_block_quote_ = in_block_quote_ || fence_ == '\0';
        else if (const std::size_t marker = list_marker(line.substr(at)))
            at += marker - 1;
        else if (!is_space(line[at]))
            break;
        ++at;
    }
    at_ += at;
    read_fence(line.substr(at));
}

void QuotationReader::read_fence(std::string_view rest) {
    if (rest.empty() || (rest.front() != '`' && rest.front() != '~')) return;
    const char character = rest.front();
    const std::size_t length = run_length(rest, 0);
    if (length < min_fence) return;
    if (fence_ == '\0') {
        // "```json <tool_call>```" is inline code.
        if (character == '`' && rest.find('`', length) != npos) return;
        if (at_ < code_end_) return;
        fence_ = character;
        fence_length_ = length;
    } else if (fence_ == character && length >= fence_length_ && is_blank(rest.substr(length))) {
        fence_ = '\0';
        at_ += length;
    }
}

void QuotationReader::read_backticks() {
    const std::size_t length = run_length(text_, at_);
    const std::vector<std::size_t>& same = backticks_.at(length);
    const auto close = std::upper_bound(same.begin(), same.end(), at_);
    if (close != same.end() && *close < end_of_paragraph()) code_end_ = *close + length;
    at_ += length;
}

std::size_t QuotationReader::end_of_paragraph() {
    if (at_ < paragraph_end_) return paragraph_end_;
    std::size_t line_end = text_.find('\n', at_);
    while (line_end != npos) {
        const std::size_t next = text_.find('\n', line_end + 1);
        const std::size_t length = std::min(next, text_.size()) - line_end - 1;
        if (is_blank(text_.substr(line_end + 1, length))) break;
        line_end = next;
    }
    return paragraph_end_ = std::min(line_end, text_.size());
}

void QuotationReader::read_mark() {
    const char c = text_[at_];
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    if (c == '"') {
        bool& open = open_marks_[straight];
        if (open || !is_digit(before)) open = !open; // 27" is a size
        ++at_;
        return;
    }
    if (c == '\'') { // an apostrophe, unless a word begins or ends here
        bool& open = open_marks_[straight_single];
        if (open)
            open = is_word_byte(after);
        else
            open = !is_word_byte(before) && !is_space(after);
        ++at_;
        return;
    }
    for (const Mark& mark : marks) {
        if (!text_.substr(at_).starts_with(mark.bytes)) continue;
        bool& open = open_marks_[mark.kind];
        open = mark.effect == Mark::Effect::open || (mark.effect == Mark::Effect::toggle && !open);
        at_ += mark.bytes.size();
        return;
    }
    ++at_;
}

void QuotationReader::read_tag() {
    constexpr std::size_t longest = std::string_view("</tool_response").size();
    const std::string tag = ascii_lower(text_.substr(at_, longest + 1));
    ++at_;
    const bool closes = tag.starts_with("</");
    for (std::size_t kind = 0; kind < quoting_tags.size(); ++kind) {
        const std::string_view name = quoting_tags[kind];
        const std::string_view rest = std::string_view(tag).substr(closes ? 2 : 1);
        if (!rest.starts_with(name)) continue;
        const std::string_view behind = rest.substr(name.size());
        if (behind.empty() || (behind.front() != '>' && !is_space(behind.front()))) continue;
        int& open = open_tags_[kind];
        open = closes ? std::max(open - 1, 0) : open + 1;
    }
}

} // namespace eyehand::vlm::wire
