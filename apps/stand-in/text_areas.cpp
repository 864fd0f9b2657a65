#include "text_areas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace stand_in {
namespace {

// Measured on Wine's dialogs scaled to 1536x864: the letters with the least contrast (an inactive
// title) still differ from their background by more than this.
constexpr int edge_contrast = 32;
constexpr int shortest_text = 5;
constexpr int shortest_line = 7;
constexpr int tallest_punctuation = 4;
constexpr int tallest_text = 32;
// A vertical line longer than this is a frame, not the stem of a letter. The frame of a list
// touches its entries and would join them.
constexpr int max_stem = 20;

using Mask = std::vector<std::uint8_t>;

std::size_t index_of(const GrayImage& image, int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
           static_cast<std::size_t>(x);
}

// Only horizontal changes of brightness: letters have many, horizontal rules have none.
Mask sideways_edges(const GrayImage& image) {
    Mask mask(image.pixels.size(), 0);
    for (int y = 0; y < image.height; ++y) {
        for (int x = 1; x + 1 < image.width; ++x) {
            if (std::abs(image.at(x + 1, y) - image.at(x - 1, y)) > edge_contrast)
                mask[index_of(image, x, y)] = 1;
        }
    }
    return mask;
}

void remove_frames(const GrayImage& image, Mask& mask) {
    for (int x = 0; x < image.width; ++x) {
        for (int y = 0; y < image.height;) {
            int end = y;
            while (end < image.height && mask[index_of(image, x, end)] != 0) ++end;
            if (end - y > max_stem) {
                for (int row = y; row < end; ++row) mask[index_of(image, x, row)] = 0;
            }
            y = end + 1;
        }
    }
}

/// One pixel row of a blob.
struct Row {
    int count = 0;
    int left = 0;
    int right = 0; ///< one past the last pixel

    void add(int x) {
        left = count == 0 ? x : std::min(left, x);
        right = count == 0 ? x + 1 : std::max(right, x + 1);
        ++count;
    }
};

/// Edge pixels that touch each other, row by row.
using Blob = std::map<int, Row>;

Blob flood(const GrayImage& image, Mask& mask, Point start) {
    Blob blob;
    std::vector<Point> open{start};
    mask[index_of(image, start.x, start.y)] = 0;
    while (!open.empty()) {
        const Point at = open.back();
        open.pop_back();
        blob[at.y].add(at.x);
        for (int y = std::max(0, at.y - 1); y <= std::min(image.height - 1, at.y + 1); ++y) {
            for (int x = std::max(0, at.x - 1); x <= std::min(image.width - 1, at.x + 1); ++x) {
                auto& pixel = mask[index_of(image, x, y)];
                if (pixel == 0) continue;
                pixel = 0;
                open.push_back({x, y});
            }
        }
    }
    return blob;
}

Box box_of(Blob::const_iterator first, Blob::const_iterator last) {
    Box box{first->second.left, first->first, first->second.right - first->second.left, 1};
    for (auto row = first; row != last; ++row) {
        box = united(box, {row->second.left, row->first, row->second.right - row->second.left, 1});
    }
    return box;
}

// In a row this thin, a bracket or descender of one line of text touches the next line.
bool is_waist(const Row& row, const Blob& blob) {
    int pixels = 0;
    for (const auto& [y, other] : blob) pixels += other.count;
    return 4 * row.count * static_cast<int>(blob.size()) <= pixels;
}

// Lines with little space between them touch, so the blob is split at its waists.
std::vector<Box> lines_of(const Blob& blob) {
    std::vector<Box> lines;
    auto first = blob.begin();
    const auto tall_enough = [](auto from, auto to) {
        return std::distance(from, to) >= shortest_line;
    };
    for (auto row = blob.begin(); row != blob.end(); ++row) {
        if (!tall_enough(first, row) || !tall_enough(row, blob.end()) ||
            !is_waist(row->second, blob))
            continue;
        lines.push_back(box_of(first, row));
        first = row;
    }
    lines.push_back(box_of(first, blob.end()));
    return lines;
}

bool could_be_letters(const Box& box) {
    const bool upright_line = box.height > 12 && box.height > 4 * box.width;
    return box.height <= tallest_text && !upright_line;
}

/// One connected blob and the shade around it.
struct Letter {
    Box box;
    int background = 0;
};

std::uint8_t most_frequent(const GrayImage& image, const Box& area) {
    std::array<int, 256> count{};
    for (int y = area.y; y < area.bottom(); ++y) {
        for (int x = area.x; x < area.right(); ++x) ++count[image.at(x, y)];
    }
    return static_cast<std::uint8_t>(std::max_element(count.begin(), count.end()) - count.begin());
}

// With a margin of one pixel, even the box of a bold letter contains more background than letter.
int shade_around(const GrayImage& image, const Box& box) {
    const int left = std::max(0, box.x - 1);
    const int top = std::max(0, box.y - 1);
    return most_frequent(image, {left, top, std::min(image.width, box.right() + 1) - left,
                                 std::min(image.height, box.bottom() + 1) - top});
}

std::vector<Letter> find_letters(const GrayImage& image) {
    Mask mask = sideways_edges(image);
    remove_frames(image, mask);
    std::vector<Letter> letters;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (mask[index_of(image, x, y)] == 0) continue;
            for (const Box& box : lines_of(flood(image, mask, {x, y}))) {
                if (could_be_letters(box)) letters.push_back({box, shade_around(image, box)});
            }
        }
    }
    return letters;
}

// The gap between words of one phrase is smaller than the height of their letters; between menu
// entries and columns it is larger. A selection or a button ends where the background changes.
bool belong_together(const Letter& left, const Letter& right) {
    const int tall = std::max(left.box.height, right.box.height);
    const int low = std::min(left.box.height, right.box.height);
    const bool alike = tall <= 3 * low || (low <= tallest_punctuation && tall <= max_stem);
    const int gap = right.box.x - left.box.right();
    return alike && 10 * gap <= 8 * std::max(tall, 6) &&
           2 * shared_rows(left.box, right.box) >= low &&
           std::abs(left.background - right.background) <= edge_contrast;
}

/// Groups of boxes (union-find): each box refers to another one of its group, the first one to
/// itself.
class Groups {
public:
    explicit Groups(std::size_t size) : parent_(size) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t first_of(std::size_t member) const {
        while (parent_[member] != member) member = parent_[member];
        return member;
    }
    void join(std::size_t a, std::size_t b) {
        const auto [first, second] = std::minmax({first_of(a), first_of(b)});
        parent_[second] = first;
    }

private:
    std::vector<std::size_t> parent_;
};

std::vector<Box> join_neighbors(std::vector<Letter> letters) {
    std::sort(letters.begin(), letters.end(), [](const Letter& a, const Letter& b) {
        return std::pair(a.box.x, a.box.y) < std::pair(b.box.x, b.box.y);
    });
    Groups groups(letters.size());
    std::vector<Box> joined;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        joined.push_back(letters[i].box);
        for (std::size_t j = i + 1; j < letters.size(); ++j) {
            if (letters[j].box.x - letters[i].box.right() > tallest_text) break;
            if (belong_together(letters[i], letters[j])) groups.join(i, j);
        }
    }
    std::vector<Box> result;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const auto first = groups.first_of(i);
        joined[first] = united(joined[first], letters[i].box);
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (groups.first_of(i) == i) result.push_back(joined[i]);
    }
    return result;
}

bool could_be_text(const Box& box) {
    return box.height >= shortest_text && box.height <= tallest_text && box.width >= 3;
}

} // namespace

std::vector<Box> find_text_areas(const GrayImage& image) {
    std::vector<Box> areas = join_neighbors(find_letters(image));
    std::erase_if(areas, [](const Box& box) { return !could_be_text(box); });
    std::sort(areas.begin(), areas.end(),
              [](const Box& a, const Box& b) { return std::pair(a.y, a.x) < std::pair(b.y, b.x); });
    return areas;
}

GrayImage isolate_text(const GrayImage& image, const Box& area, int margin) {
    const int background = most_frequent(image, area);
    int strongest = edge_contrast;
    for (int y = area.y; y < area.bottom(); ++y) {
        for (int x = area.x; x < area.right(); ++x)
            strongest = std::max(strongest, std::abs(image.at(x, y) - background));
    }
    GrayImage text{area.width + 2 * margin, area.height + 2 * margin, {}};
    text.pixels.assign(static_cast<std::size_t>(text.width) * static_cast<std::size_t>(text.height),
                       255);
    for (int y = 0; y < area.height; ++y) {
        for (int x = 0; x < area.width; ++x) {
            const int distance = std::abs(image.at(area.x + x, area.y + y) - background);
            text.pixels[index_of(text, x + margin, y + margin)] =
                static_cast<std::uint8_t>(255 - distance * 255 / strongest);
        }
    }
    return text;
}

} // namespace stand_in
