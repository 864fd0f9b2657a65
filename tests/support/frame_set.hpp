// The frames of benchmarks and size tests: screenshots, and typical changes of them.
#pragma once

#include "eyehand/winio/image.hpp"

#include <vector>

namespace frame_set {

using Images = std::vector<eyehand::winio::Image>;

/// The twelve screenshots of 1920x1080, in the order of their names; the last one is like a
/// photograph, the one before is a page of text. Throws std::runtime_error if one cannot be read.
const Images& screenshots();
/// The same at 1536x864, for all tests that do not measure scaling.
const Images& captured_frames();

enum class Edit {
    tenth,    ///< a block of a tenth of the rows shows text instead
    one_line, ///< a line of text, 18 rows high and a third of the width, changes
    scroll    ///< everything moves up by 40 rows
};

/// All frames after the same edit. In the photograph, other parts of itself replace the text.
Images edited(const Images& frames, Edit edit);

} // namespace frame_set
