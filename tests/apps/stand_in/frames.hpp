// Screenshots of a Wine desktop, in their own size and scaled as agents scale them.
#pragma once

#include <string>

namespace stand_in_test {

/// The bytes of a PNG in tests/data/frames.
std::string frame(const std::string& name);

/// Scales 1920x1080 to 1536x864; each pixel is the mean of the pixels that it covers.
std::string scaled_to_864_rows(const std::string& png);

/// The image as a JPEG or WebP file.
std::string as_jpeg(const std::string& png, int quality);
std::string as_webp(const std::string& png, int quality);

/// Moves the content of the image; the uncovered part becomes black.
std::string moved(const std::string& png, int right, int down);

} // namespace stand_in_test
