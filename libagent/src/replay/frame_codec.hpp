// Frames in a recording: each as its difference from the frame before it.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "json/json.hpp"

#include <cstdint>
#include <vector>

namespace eyehand::agent {

/// Most frames differ little from the frame before them, so a frame is stored as the PNG of the
/// rectangle that differs, and the shape of the pointer once.
class FrameEncoder {
public:
    [[nodiscard]] json::object encode(const winio::Frame& frame);

private:
    winio::Image before_;
    std::vector<winio::PointerShape> shapes_; ///< the position does not matter
};

/// Decodes the frames of one encoder in order.
class FrameDecoder {
public:
    /// Throws std::exception for a record of another form, or one that does not follow the frames
    /// before it.
    [[nodiscard]] const winio::Frame& decode(const json::object& record);

private:
    winio::Frame frame_;
    std::vector<winio::PointerShape> shapes_;
};

} // namespace eyehand::agent
