// The numbers in which a reply states positions: their convention, and errors like those of models.
//
//     const Coordinates coordinates{convention_of("image_pixels"), parse_bias("-5,0"), 2};
//     const Area area = stated(box, {1920, 1080}, coordinates, 0);
#pragma once

#include "geometry.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stand_in {

/// The size of an image in pixels.
struct Size {
    int width = 0;
    int height = 0;
    friend bool operator==(const Size&, const Size&) = default;
};

/// Two numbers, one for each axis.
struct Position {
    double x = 0;
    double y = 0;
    friend bool operator==(const Position&, const Position&) = default;
};

/// How a position is written. The numbers of an axis range from 0, the first column or row of
/// pixels, to a maximum, the last one.
struct Convention {
    std::string_view word = "norm1000";
    double maximum = 1000;       ///< 0: one less than the side of the image
    double steps = 1;            ///< between two whole numbers: 100 for two decimals
    bool y_first = false;        ///< in lists
    int factor = 0;              ///< the image is resized to multiples of it; 0: it is not resized
    std::int64_t min_pixels = 0; ///< of the resized image
    std::int64_t max_pixels = 0;

    /// Whether the numbers depend on the size of the image.
    [[nodiscard]] bool needs_image() const { return maximum == 0; }
};

/// The words of all conventions, for users: "norm1000, norm999, ...".
[[nodiscard]] std::string convention_words();

/// Throws std::invalid_argument for an unknown word; what() lists the words.
[[nodiscard]] Convention convention_of(std::string_view word);

/// The size of the image to which the numbers refer: with a factor, as a processor of Qwen's models
/// resizes it (`smart_resize` in qwen_vl_utils), otherwise unchanged.
[[nodiscard]] Size resized(Size image, const Convention& convention);

/// How a model states positions.
struct Coordinates {
    Convention convention = {};
    Position bias = {}; ///< added to each position, in 1/1000 of the image
    double noise = 0;   ///< the maximum of a pseudo-random error on each axis, in the same unit
};

/// "X,Y", for example "-5,2.5". Throws std::invalid_argument.
[[nodiscard]] Position parse_bias(std::string_view text);

/// A number that is not negative. Throws std::invalid_argument.
[[nodiscard]] double parse_noise(std::string_view text);

/// A place in the numbers of a reply.
struct Area {
    Position first;  ///< top left
    Position last;   ///< bottom right
    Position middle; ///< from the exact corners, not from the rounded ones
    bool y_first = false;
};

/// The one to four pixels in the middle of an image.
[[nodiscard]] Box middle_of(Size image);

/// States the place of a box of the image. All corners have the same error, and stay in the image.
/// `number` selects the pseudo-random error: the same number has the same error.
[[nodiscard]] Area stated(const Box& box, Size image, const Coordinates& coordinates,
                          std::size_t number);

} // namespace stand_in
