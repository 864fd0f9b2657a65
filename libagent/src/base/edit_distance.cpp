#include "base/edit_distance.hpp"

#include <algorithm>
#include <vector>

namespace eyehand::agent {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the table for the prefixes of `a`: the one before the previous, the previous,
    // and the current one.
    std::vector<std::size_t> older(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        older.swap(before);
        before.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({before[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], older[j - 2] + 1);
        }
    }
    return row[b.size()];
}

} // namespace eyehand::agent
