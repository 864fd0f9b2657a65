// Finds out which parts of a model's text only quote.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// Reads a text from its beginning, and tells where it quotes: in quotation marks, in code (Markdown
/// fences, inline code, indented lines, <pre> and <code>), in block quotes (also their lazy
/// continuation lines) and in <tool_response>. In doubt, a text quotes: an open quotation mark
/// reaches to the end of the text, a single one to the end of the paragraph. Takes linear time.
class QuotationReader {
public:
    /// `text` must outlive the reader.
    explicit QuotationReader(std::string_view text);

    /// Whether something that begins at `at` is quoted. `at` must not decrease between calls.
    [[nodiscard]] bool is_quoted(std::size_t at);
    /// Continues at `at` without reading the text before it, such as a call whose arguments may
    /// contain any characters.
    void skip_to(std::size_t at);

private:
    static constexpr std::size_t mark_kinds = 6;
    static constexpr std::size_t tag_kinds = 5;

    void read_to(std::size_t end);
    void begin_line();
    void read_fence(std::string_view rest_of_line);
    void read_backticks();
    void read_mark();
    void read_tag();
    [[nodiscard]] std::size_t end_of_paragraph();

    std::string_view text_;
    std::size_t at_ = 0;
    bool line_begins_ = true;
    std::size_t indentation_ = 0;   // of this line, in columns
    bool in_block_quote_ = false;   // this paragraph
    char fence_ = '\0';             // the character of the open fence, or 0
    std::size_t fence_length_ = 0;  // of that fence
    std::size_t code_end_ = 0;      // of the latest inline code
    std::size_t paragraph_end_ = 0; // of the latest paragraph in which it was needed
    std::array<bool, mark_kinds> open_marks_{};
    std::array<int, tag_kinds> open_tags_{};
    std::map<std::size_t, std::vector<std::size_t>> backticks_; // positions by length
};

} // namespace eyehand::vlm::wire
