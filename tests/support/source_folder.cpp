#include "source_folder.hpp"

std::filesystem::path test::source_folder() { return EYEHAND_SOURCE_FOLDER; }
