// Screenshots of a Wine desktop, in their own size and scaled as agents scale them.
#pragma once

#include <string>

namespace stand_in_test {

/// The bytes of a PNG in tests/data/frames.
std::string frame(const std::string& name);

/// Scales 1920x1080 to 1536x864; each pixel is the mean of the pixels that it covers.
std::string scaled_to_864_rows(const std::string& png);

/// Moves the content of the image; the uncovered part becomes black.
std::string moved(const std::string& png, int right, int down);

} // namespace stand_in_test
