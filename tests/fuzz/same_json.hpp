// Compares a record with a copy that was written and read again.
#pragma once

#include "json/json.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fuzz {

/// Whether two documents are equal except for the last digits of numbers: Boost.JSON does not read
/// numbers exactly, so a number that is written and read again may become the next double.
inline bool is_same(const boost::json::value& a, const boost::json::value& b) {
    if (a.is_number() && b.is_number()) {
        const double x = a.to_number<double>();
        const double y = b.to_number<double>();
        return std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
    }
    if (a.is_array() && b.is_array())
        return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(),
                          b.get_array().end(), is_same);
    if (a.is_object() && b.is_object())
        return std::equal(a.get_object().begin(), a.get_object().end(), b.get_object().begin(),
                          b.get_object().end(), [](const auto& x, const auto& y) {
                              return x.key() == y.key() && is_same(x.value(), y.value());
                          });
    return a == b;
}

inline bool is_same_json(std::string_view a, std::string_view b) {
    const auto x = eyehand::agent::parse_json(a);
    const auto y = eyehand::agent::parse_json(b);
    return x && y && is_same(*x, *y);
}

} // namespace fuzz
