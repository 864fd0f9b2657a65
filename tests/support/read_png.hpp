// A PNG file, read by libpng. Only where libpng is.
#pragma once

#include "eyehand/winio/image.hpp"

#include <filesystem>

/// The file's pixels as BGRA. Throws std::runtime_error naming the file when it cannot be read.
eyehand::winio::Image read_png(const std::filesystem::path& file);
