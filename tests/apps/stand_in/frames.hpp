// Screenshots of a Wine desktop, as they are and scaled as agents scale them.
#pragma once

#include <string>

namespace stand_in_test {

/// The bytes of a PNG in tests/data/frames.
std::string frame(const std::string& name);

/// 1920x1080 to 1536x864, each pixel the mean of those it covers.
std::string scaled_to_864_rows(const std::string& png);

/// The picture with everything on it moved; what comes free is black.
std::string moved(const std::string& png, int right, int down);

} // namespace stand_in_test
