// JSON as models write it: decimals without an exponent.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace stand_in {

/// As boost::json::serialize, but "0.25" instead of "2.5E-1", for numbers from 0.0001 on.
[[nodiscard]] std::string json_text(const boost::json::value& value);

} // namespace stand_in
