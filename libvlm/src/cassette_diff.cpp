#include "cassette_diff.hpp"

#include "cassette_json.hpp"
#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace eyehand::vlm::cassette {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t context = 3;         // unchanged lines around a change, as diff prints
constexpr std::size_t max_columns = 160;   // longer lines are shortened
constexpr std::size_t start_columns = 40;  // of a shortened line: indentation and name
constexpr std::size_t before_columns = 40; // before the difference
constexpr std::size_t after_columns = 80;
constexpr std::size_t max_lines = 200; // of a difference
// Above it (two times 2000 lines) finding the shortest difference takes too long.
constexpr std::size_t max_cells = std::size_t{2000} * 2000;

// --- Different lines --------------------------------------------------------------------------

enum class Edit : char { keep = ' ', remove = '-', add = '+' };

/// The lengths of the longest common subsequences for each pair of ends of two lists.
class CommonLengths {
public:
    CommonLengths(const Lines& left, const Lines& right)
        : width_(right.size() + 1), cells_((left.size() + 1) * width_) {
        for (std::size_t i = left.size(); i-- > 0;)
            for (std::size_t j = right.size(); j-- > 0;)
                cell(i, j) = left[i] == right[j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                 : std::max(at(i + 1, j), at(i, j + 1));
    }
    [[nodiscard]] std::uint16_t at(std::size_t i, std::size_t j) const {
        return cells_[i * width_ + j];
    }

private:
    std::uint16_t& cell(std::size_t i, std::size_t j) { return cells_[i * width_ + j]; }

    std::size_t width_;
    std::vector<std::uint16_t> cells_;
};

/// Precondition: the lists neither begin nor end with the same line.
void add_edits(std::vector<Edit>& edits, const Lines& left, const Lines& right) {
    const bool too_long = left.size() > 0xFFFE || right.size() > 0xFFFE ||
                          (left.size() + 1) * (right.size() + 1) > max_cells;
    std::size_t i = 0;
    std::size_t j = 0;
    if (!too_long) {
        const CommonLengths common(left, right);
        while (i < left.size() && j < right.size()) {
            if (left[i] == right[j]) {
                edits.push_back(Edit::keep);
                ++i;
                ++j;
            } else if (common.at(i + 1, j) >= common.at(i, j + 1)) {
                edits.push_back(Edit::remove);
                ++i;
            } else {
                edits.push_back(Edit::add);
                ++j;
            }
        }
    }
    edits.insert(edits.end(), left.size() - i, Edit::remove);
    edits.insert(edits.end(), right.size() - j, Edit::add);
}

std::vector<Edit> edits_between(const Lines& left, const Lines& right) {
    const auto [left_at, right_at] =
        std::mismatch(left.begin(), left.end(), right.begin(), right.end());
    const auto [left_end, right_end] =
        std::mismatch(left.rbegin(), std::make_reverse_iterator(left_at), right.rbegin(),
                      std::make_reverse_iterator(right_at));
    std::vector<Edit> edits(static_cast<std::size_t>(left_at - left.begin()), Edit::keep);
    add_edits(edits, Lines(left_at, left_end.base()), Lines(right_at, right_end.base()));
    edits.insert(edits.end(), static_cast<std::size_t>(left_end - left.rbegin()), Edit::keep);
    return edits;
}

// --- Shortened lines --------------------------------------------------------------------------

std::string left_out(std::size_t bytes) { return "[... " + std::to_string(bytes) + " bytes ...]"; }

/// Keeps the beginning of the line and the part around `place`.
std::string shortened(std::string_view line, std::size_t place) {
    if (line.size() <= max_columns) return std::string(line);
    const std::size_t start = base::utf8::boundary_at_or_before(line, start_columns);
    std::size_t from = base::utf8::boundary_at_or_before(
        line, place < before_columns ? 0 : place - before_columns);
    std::size_t to = base::utf8::boundary_at_or_before(line, place + after_columns);
    if (from <= start + before_columns) from = start; // the gap is too small to leave out
    to = std::max(to, from);
    std::string text(line.substr(0, start));
    if (from > start) text += left_out(from - start);
    text += line.substr(from, to - from);
    if (to < line.size()) text += left_out(line.size() - to);
    return text;
}

std::size_t first_difference(std::string_view left, std::string_view right) {
    const auto end = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
    return base::utf8::boundary_at_or_before(left, static_cast<std::size_t>(end - left.begin()));
}

// --- Printing ---------------------------------------------------------------------------------

/// Prints the edits of two lists, from their beginning.
class Printer {
public:
    Printer(const Lines& left, const Lines& right) : left_(left), right_(right) {}

    void skip(std::size_t lines) {
        left_at_ += lines;
        right_at_ += lines;
    }

    /// A group of neighboring edits, with a header line.
    void hunk(const std::vector<Edit>& edits, std::size_t from, std::size_t to) {
        const auto count = [&](Edit unwanted) {
            return static_cast<std::size_t>(
                std::count_if(edits.begin() + static_cast<std::ptrdiff_t>(from),
                              edits.begin() + static_cast<std::ptrdiff_t>(to),
                              [&](Edit edit) { return edit != unwanted; }));
        };
        print("@@ -" + range(left_at_, count(Edit::add)) + " +" +
              range(right_at_, count(Edit::remove)) + " @@");
        while (from < to) {
            const auto run = [&](Edit edit) {
                const std::size_t begin = from;
                while (from < to && edits[from] == edit) ++from;
                return from - begin;
            };
            for (std::size_t n = run(Edit::keep); n > 0; --n, skip(1))
                line(Edit::keep, left_[left_at_], 0);
            const std::size_t removed = run(Edit::remove);
            replace(removed, run(Edit::add));
        }
    }

    [[nodiscard]] std::string take() {
        if (lines_ > max_lines)
            text_ += "(" + std::to_string(lines_ - max_lines) + " more lines)\n";
        return std::move(text_);
    }

private:
    static std::string range(std::size_t first, std::size_t count) {
        // Lines count from 1; an empty range has the number of the line before it.
        const std::string begin = std::to_string(count > 0 ? first + 1 : first);
        return count == 1 ? begin : begin + "," + std::to_string(count);
    }

    /// The n-th removed line and the n-th added one are shortened around their difference.
    void replace(std::size_t removed, std::size_t added) {
        const auto place = [&](std::size_t n) {
            return n < removed && n < added
                       ? first_difference(left_[left_at_ + n], right_[right_at_ + n])
                       : 0;
        };
        for (std::size_t n = 0; n < removed; ++n) line(Edit::remove, left_[left_at_ + n], place(n));
        for (std::size_t n = 0; n < added; ++n) line(Edit::add, right_[right_at_ + n], place(n));
        left_at_ += removed;
        right_at_ += added;
    }

    void line(Edit edit, std::string_view text, std::size_t place) {
        print(static_cast<char>(edit) + shortened(text, place));
    }

    void print(const std::string& text) {
        if (++lines_ <= max_lines) text_ += text + "\n";
    }

    const Lines& left_;
    const Lines& right_;
    std::size_t left_at_ = 0;
    std::size_t right_at_ = 0;
    std::size_t lines_ = 0;
    std::string text_;
};

Lines lines_of(std::string_view json) {
    const std::optional<json::value> value = parse(json, line_depth);
    return value ? print_lines(*value) : Lines{std::string(json)};
}

} // namespace

std::string line_difference(const Lines& recorded, const Lines& asked) {
    const std::vector<Edit> edits = edits_between(recorded, asked);
    const auto next_change = [&](std::size_t from) {
        while (from < edits.size() && edits[from] == Edit::keep) ++from;
        return from;
    };
    Printer printer(recorded, asked);
    std::size_t printed = 0; // edits so far, those left out included
    for (std::size_t change = next_change(0); change < edits.size();) {
        const std::size_t begin = std::max(printed, change - std::min(change, context));
        std::size_t end = change;
        // Changes that are close together share a hunk.
        while (change < edits.size() && change <= end + 2 * context) {
            end = change + 1;
            change = next_change(end);
        }
        end = std::min(end + context, edits.size());
        printer.skip(begin - printed);
        printer.hunk(edits, begin, end);
        printed = end;
    }
    return printer.take();
}

std::string json_difference(std::string_view recorded, std::string_view asked) {
    const Lines left = lines_of(recorded);
    const Lines right = lines_of(asked);
    // The same JSON in different bytes, such as a space in the schema of a tool.
    if (left == right) return line_difference({std::string(recorded)}, {std::string(asked)});
    return line_difference(left, right);
}

} // namespace eyehand::vlm::cassette
