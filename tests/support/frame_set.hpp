// What benchmarks and size tests look at: screenshots, and the ways in which they change.
#pragma once

#include "eyehand/winio/image.hpp"

#include <vector>

namespace frame_set {

using Images = std::vector<eyehand::winio::Image>;

/// The twelve screenshots of 1920x1080, in the order of their names; the last one is like a
/// photograph, the one before a page of text. Throws std::runtime_error when one cannot be read.
const Images& screenshots();
/// The same at 1536x864: what stands for captured frames in all that does not measure scaling.
const Images& captured_frames();

enum class Edit {
    tenth,    ///< a block of a tenth of the rows shows text instead
    one_line, ///< a line of text, 18 rows high and a third of the width, reads otherwise
    scroll    ///< everything moves up by 40 rows
};

/// All frames after the same edit. The photograph gets other parts of itself instead of text.
Images edited(const Images& frames, Edit edit);

} // namespace frame_set
