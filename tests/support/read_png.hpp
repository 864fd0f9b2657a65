// Reads a PNG file with libpng. Available only on systems with libpng.
#pragma once

#include "eyehand/winio/image.hpp"

#include <filesystem>

/// The file's pixels as BGRA. Throws std::runtime_error, which names the file, if it cannot be
/// read.
eyehand::winio::Image read_png(const std::filesystem::path& file);
