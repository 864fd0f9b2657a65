#include "find_text.hpp"

#include "phrase.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <tuple>

namespace stand_in {
namespace {

/// A token of a reading, with its place on the screen.
struct Piece {
    std::u32string letters;
    Box box;
    bool is_noise = false;
};

/// A matching place; a lower cost is better.
struct Match {
    Box box;
    std::size_t cost = 0;
};

// One misread letter in a caption of four costs 25, and a part of a longer caption costs 30: the
// button "Seve" is a better match for "Save" than the title "Save As". Noise beside the phrase
// costs less than a word, but more than nothing, because it may be a word: the confidence of "in:"
// in "Save in:" is as low as that of an icon.
constexpr std::size_t cost_of_all_letters = 100;
constexpr std::size_t cost_of_being_a_part = 30;
constexpr std::size_t cost_of_noise = 10;

// OCR turns an icon into one letter with low confidence. Two letters could be the "in:" of "Save
// in:".
constexpr int hardly_believed = 50;
constexpr std::size_t longest_noise = 1;

// The part of a word's box that belongs to a token of the word.
Box part_of(const Word& word, const Token& token) {
    const auto length = static_cast<int>(std::max<std::size_t>(1, code_points(word.text)));
    const int left = word.box.width * static_cast<int>(token.first) / length;
    const int right = word.box.width * static_cast<int>(token.last) / length;
    return {word.box.x + left, word.box.y, right - left, word.box.height};
}

std::vector<Piece> pieces_of(const Words& words) {
    std::vector<Piece> pieces;
    for (const Word& word : words) {
        const bool is_noise =
            word.confidence < hardly_believed && letters_of(word.text).size() <= longest_noise;
        for (const Token& token : tokens_of(word.text))
            pieces.push_back({token.letters, part_of(word, token), is_noise});
    }
    return pieces;
}

bool are_noise(std::span<const Piece> pieces) {
    return std::all_of(pieces.begin(), pieces.end(),
                       [](const Piece& piece) { return piece.is_noise; });
}

std::size_t cost_of_rest(std::span<const Piece> before, std::span<const Piece> after) {
    if (before.empty() && after.empty()) return 0;
    return are_noise(before) && are_noise(after) ? cost_of_noise : cost_of_being_a_part;
}

std::optional<Match> best_of(std::optional<Match> a, const std::optional<Match>& b) {
    return !a || (b && b->cost < a->cost) ? b : a;
}

// Matches the phrase with any run of adjacent pieces, because OCR adds and misses blanks.
std::optional<Match> match_in(const Words& words, std::u32string_view phrase) {
    const std::vector<Piece> pieces = pieces_of(words);
    const std::span<const Piece> all(pieces);
    std::optional<Match> best;
    for (std::size_t first = 0; first < pieces.size(); ++first) {
        std::u32string seen;
        Box box = pieces[first].box;
        for (std::size_t last = first; last < pieces.size(); ++last) {
            seen += pieces[last].letters;
            box = united(box, pieces[last].box);
            const auto wrong = differences(seen, phrase);
            if (!wrong) continue;
            const std::size_t cost = *wrong * cost_of_all_letters / phrase.size() +
                                     cost_of_rest(all.first(first), all.subspan(last + 1));
            best = best_of(best, Match{box, cost});
        }
    }
    return best;
}

std::vector<Match> matches_of(const Screen& screen, std::string_view text) {
    const std::u32string phrase = letters_of(text);
    std::vector<Match> matches;
    if (phrase.empty()) return matches;
    for (const Segment& segment : screen.segments) {
        std::optional<Match> best;
        for (const Words& reading : segment.readings)
            best = best_of(best, match_in(reading, phrase));
        if (best) matches.push_back(*best);
    }
    return matches;
}

/// The places of the phrases that a target refers to.
struct Anchors {
    std::optional<Box> right_of;
    std::optional<Box> left_of;
    std::optional<Box> above;
    std::optional<Box> below;
    std::optional<Box> near;
};

// Returns nothing if one of these phrases is not on the screen.
std::optional<Anchors> find_anchors(const Screen& screen, const Target& target) {
    Anchors anchors;
    const auto locate = [&](const std::string& phrase, std::optional<Box>& box) {
        if (phrase.empty()) return true;
        box = find(screen, Target{.text = phrase});
        return box.has_value();
    };
    const bool found = locate(target.right_of, anchors.right_of) &&
                       locate(target.left_of, anchors.left_of) &&
                       locate(target.above, anchors.above) && locate(target.below, anchors.below) &&
                       locate(target.near, anchors.near);
    return found ? std::optional(anchors) : std::nullopt;
}

bool fits(const Box& box, const Anchors& anchors) {
    return (!anchors.right_of || box.x >= anchors.right_of->right()) &&
           (!anchors.left_of || box.right() <= anchors.left_of->x) &&
           (!anchors.above || box.bottom() <= anchors.above->y) &&
           (!anchors.below || box.y >= anchors.below->bottom());
}

int distance(const Box& a, const Box& b) {
    const Point from = a.center();
    const Point to = b.center();
    return std::abs(from.x - to.x) + std::abs(from.y - to.y);
}

int distance(const Box& box, const Anchors& anchors) {
    int sum = 0;
    for (const auto& anchor :
         {anchors.right_of, anchors.left_of, anchors.above, anchors.below, anchors.near}) {
        if (anchor) sum += distance(box, *anchor);
    }
    return sum;
}

std::optional<Box> find_phrase(const Screen& screen, const std::string& text,
                               const Anchors& anchors) {
    std::vector<Match> matches = matches_of(screen, text);
    std::erase_if(matches, [&](const Match& match) { return !fits(match.box, anchors); });
    const auto rank = [&](const Match& match) {
        return std::tuple(match.cost, distance(match.box, anchors), match.box.y, match.box.x);
    };
    const auto best =
        std::min_element(matches.begin(), matches.end(),
                         [&](const Match& a, const Match& b) { return rank(a) < rank(b); });
    return best == matches.end() ? std::nullopt : std::optional(best->box);
}

// The maximum distance of a field's content from its label, and the distance at which an empty
// field is clicked, both in heights of the label. Measured on Wine's and Windows' file dialogs,
// whose fields begin 4 to 5 heights after the label.
constexpr int furthest_content = 10;
constexpr int into_the_field = 6;

Box field_right_of(const Screen& screen, const Box& label) {
    Box field{label.right() + into_the_field * label.height, label.y, 1, label.height};
    int nearest = furthest_content * label.height;
    for (const Segment& segment : screen.segments) {
        const int gap = segment.box.x - label.right();
        const bool on_its_line = 2 * shared_rows(segment.box, label) >= label.height;
        if (!on_its_line || gap <= 0 || gap >= nearest) continue;
        nearest = gap;
        field = segment.box;
    }
    field.x = std::min(field.x, screen.width - 1);
    return field;
}

Box field_below(const Screen& screen, const Box& label, int lines) {
    return {label.x, std::min(label.bottom() + lines * label.height, screen.height - 1),
            label.width, label.height};
}

std::optional<Box> find_field(const Screen& screen, const Anchors& anchors, int lines) {
    if (anchors.right_of) return field_right_of(screen, *anchors.right_of);
    if (anchors.below) return field_below(screen, *anchors.below, lines);
    return std::nullopt;
}

} // namespace

std::string describe(const Target& target) {
    std::string words = target.text.empty() ? "the field" : fmt::format("\"{}\"", target.text);
    const auto add = [&](std::string_view relation, const std::string& phrase) {
        if (!phrase.empty()) words += fmt::format(" {} \"{}\"", relation, phrase);
    };
    add("right of", target.right_of);
    add("left of", target.left_of);
    add("above", target.above);
    add("below", target.below);
    add("near", target.near);
    return words;
}

bool is_searchable(std::string_view phrase) { return !letters_of(phrase).empty(); }

std::optional<Box> find(const Screen& screen, const Target& target) {
    const auto anchors = find_anchors(screen, target);
    if (!anchors) return std::nullopt;
    return target.text.empty() ? find_field(screen, *anchors, target.lines)
                               : find_phrase(screen, target.text, *anchors);
}

bool sees(const Screen& screen, std::string_view phrase) {
    return find(screen, Target{.text = std::string(phrase)}).has_value();
}

} // namespace stand_in
