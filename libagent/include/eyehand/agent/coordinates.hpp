// How models state positions: conventions, image sizes, and the table of model families.
//
//     const auto family = agent::model_family("qwen/qwen2.5-vl-7b");
//     if (!family || !family->convention) return calibrate();
//     const auto processor = family->processor.value_or(agent::qwen2_5_processor);
//     const winio::Size sent = agent::stable_image_size(area.bounds().size(), {1280, 720}, processor)
//                                  .value_or(winio::Size{1280, 720});
//     const agent::CoordinateConverter numbers(*family->convention, sent, processor);
//     prompt += "The image has " + numbers.range_text() + ".";          // "x from 0 to 1259, y ..."
//     prompt += "The pointer is at " + numbers.text(pointer) + ".";     // "[630, 350]"
//     const winio::NormPoint target = numbers.to_norm(std::array{311.0, 204.0}); // from the reply
//     const winio::Plan plan = winio::gesture::click(area.to_pixel(target));
//
// Runs do this by themselves: `Profile::coordinates` and `resolve_coordinates` (profile.hpp) choose the
// convention, and the toolbox of the run converts the arguments of calls.
//
// Prompts and replies contain the numbers of the model; tools, plans and the journal contain
// winio::NormPoint, 0 to 1000 of the work area. Only CoordinateConverter converts between them.
#pragma once

#include "eyehand/agent/dialect.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

// --- Conventions ---------------------------------------------------------------------------------

/// The numbers in which a model states a position. Each range includes both ends: 0 is the first
/// column or row of pixels, the largest number is the last one.
enum class CoordinateConvention {
    norm1000,        ///< 0 to 1000 of the image, whole numbers
    norm999,         ///< 0 to 999 of the image, whole numbers
    norm1000_yx,     ///< as norm1000, but lists have y before x: [y, x], [y1, x1, y2, x2]
    unit,            ///< 0 to 1 of the image, at most 4 decimals
    percent,         ///< 0 to 100 of the image, at most 2 decimals
    image_pixels,    ///< pixels of the image as it was sent
    model_pixels_28, ///< pixels of the image as the model's processor resized it, in multiples of 28
    model_pixels_32, ///< the same in multiples of 32
};

/// The word in settings: "norm1000", "norm999", "norm1000_yx", "unit", "percent", "image_pixels",
/// "model_pixels:28", "model_pixels:32".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(CoordinateConvention convention);
/// Empty for any other word. Case matters.
[[nodiscard]] EYEHAND_AGENT_API std::optional<CoordinateConvention>
parse_coordinate_convention(std::string_view word);
/// "auto" and the words of all conventions, for settings.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::string> coordinate_words();
/// A phrase for users: "0 to 1000", "pixels of the image that the model's processor has resized".
[[nodiscard]] EYEHAND_AGENT_API std::string_view description(CoordinateConvention convention);
/// 28 or 32 for model pixels, otherwise 0.
[[nodiscard]] EYEHAND_AGENT_API int image_factor(CoordinateConvention convention);

// --- Image sizes ---------------------------------------------------------------------------------

/// How a model's processor resizes images: both sides to multiples of `factor`, and their product to
/// between `min_pixels` and `max_pixels`.
struct ImageProcessor {
    int factor = 28;                      ///< pixels per side of an image token, 1 to 4096
    std::int64_t min_pixels = 3136;       ///< at least 1
    std::int64_t max_pixels = 12'845'056; ///< at least `min_pixels`, at most 2^40
    friend bool operator==(const ImageProcessor&, const ImageProcessor&) = default;
};

/// Of Qwen2-VL, Qwen2.5-VL and models made from them (patches of 14 pixels, merged 2 by 2):
/// preprocessor_config.json of huggingface.co/Qwen/Qwen2.5-VL-7B-Instruct.
inline constexpr ImageProcessor qwen2_5_processor{28, 3136, 12'845'056};
/// Of Qwen3-VL, Qwen3.5 and models made from them (patches of 16 pixels, merged 2 by 2):
/// preprocessor_config.json of huggingface.co/Qwen/Qwen3-VL-8B-Instruct, whose `shortest_edge` and
/// `longest_edge` are these numbers of pixels in spite of their names.
inline constexpr ImageProcessor qwen3_processor{32, 65'536, 16'777'216};

/// The size to which the processor resizes an image: `smart_resize` of huggingface/transformers
/// (src/transformers/models/qwen2_vl/image_processing_qwen2_vl.py) and of qwen_vl_utils
/// (QwenLM/Qwen3-VL, qwen-vl-utils/src/qwen_vl_utils/vision_process.py). Each side is rounded to a
/// multiple of the factor, half to even, and at least one multiple. An image with too many or too few
/// pixels is scaled with its aspect ratio first, and its sides are rounded down or up.
///
/// llama.cpp (tools/mtmd/clip.cpp) rounds halves up, so that 1280x720 becomes 1280x736 instead of
/// 1280x704 with the factor 32; it limits an image to 4096 tokens; and it keeps the aspect ratio and
/// adds black margins, so that positions are also shifted. It leaves a `stable_image_size` of at most
/// 4096 tokens unchanged, like all others. Some versions of transformers compare the number of pixels
/// before they raise a side below half a factor to one factor; this function raises it first.
///
/// Throws std::invalid_argument for an empty size, for a processor out of range, and if one side is
/// more than 200 times the other, which the reference implementation refuses, too.
[[nodiscard]] EYEHAND_AGENT_API winio::Size model_image_size(winio::Size image,
                                                             const ImageProcessor& processor);

/// A size for screenshots of `area` that the processor leaves unchanged, so that a pixel of the image
/// is a pixel of the model: not larger than `max_size` or `area`, both sides multiples of the factor,
/// their product within the processor's limits. Of the sizes whose height is the multiple that is
/// nearest to the area's aspect ratio for their width, or whose width is the nearest for their height,
/// the one with most pixels. One side therefore differs from the area's aspect ratio by at most half
/// a factor.
///
/// Empty if no such size exists, because the area or `max_size` is too small or too narrow. Throws
/// std::invalid_argument for an empty size and for a processor out of range.
[[nodiscard]] EYEHAND_AGENT_API std::optional<winio::Size>
stable_image_size(winio::Size area, winio::Size max_size, const ImageProcessor& processor);

/// The number of tokens that a model of this processor uses for the image, without the tokens that
/// mark its start and end (2 with Qwen's models). Throws as `model_image_size` does.
[[nodiscard]] EYEHAND_AGENT_API std::int64_t image_tokens(winio::Size image,
                                                          const ImageProcessor& processor);

/// What a server did with an image before the model received it.
enum class ImageResizing {
    unknown,     ///< the server does not count image tokens, or the image is too small to tell
    as_expected, ///< the model received the size of `model_image_size`
    shrunk,      ///< smaller: details are lost, and model pixels are wrong
    enlarged,    ///< larger: model pixels are wrong
};

/// Compares the expected number of image tokens with the number that the server has counted: the
/// prompt tokens of a request with the image minus those of the same request without it.
///
/// Tolerance: 0 to 16 tokens more than expected are `as_expected`, because a chat template adds the
/// marks of the image and up to a few words. A template never removes tokens, so that one token fewer
/// is `shrunk`. A server that changes an image changes it by at least one row or column of tokens,
/// which is noticed from 17 tokens per row and column on, with the factor 28 from 476 pixels per side.
/// Counts of 16 tokens or fewer, counted or expected, are `unknown`.
[[nodiscard]] EYEHAND_AGENT_API ImageResizing image_resizing(std::int64_t expected_tokens,
                                                             std::int64_t counted_tokens);

// --- Conversion ----------------------------------------------------------------------------------

/// A position in the numbers of a model, by axis.
struct ModelPoint {
    double x = 0;
    double y = 0;
    friend bool operator==(const ModelPoint&, const ModelPoint&) = default;
};

/// Corrects a systematic error of a model: the position is scale * stated + offset, both in 0 to 1000
/// of the image, by axis.
struct Correction {
    double scale_x = 1;  ///< 0.5 to 2
    double offset_x = 0; ///< -500 to 500
    double scale_y = 1;
    double offset_y = 0;
    /// Whether all values are in their ranges.
    [[nodiscard]] EYEHAND_AGENT_API bool valid() const;
    friend bool operator==(const Correction&, const Correction&) = default;
};

/// Converts positions between 0..1000 of the work area and the numbers of a model for one image. A
/// value; all functions are const and thread-safe.
///
/// A position is rounded to a number that the convention can write, so that the round trip
/// pixel -> text -> pixel moves it by at most half a step of the convention, rounded to whole pixels of
/// the work area: not at all if a step is at most a pixel. The other round trip, from a number of the
/// model, never changes the number. With a correction, this holds except near the edges, where
/// corrected positions are clamped.
class EYEHAND_AGENT_API CoordinateConverter {
public:
    /// `image` is the size of the image as it is sent. `processor` is used for model pixels only; the
    /// default is `qwen2_5_processor` or `qwen3_processor`. `correction` is applied to the positions
    /// that the model states, and reversed for those that it reads. Throws std::invalid_argument if
    /// `image` is empty, if the factor of the processor is not the convention's, if the correction is not
    /// valid, and as `model_image_size` does.
    CoordinateConverter(CoordinateConvention convention, winio::Size image,
                        const std::optional<ImageProcessor>& processor = std::nullopt,
                        const Correction& correction = {});

    /// The same convention, processor and correction for another image. Throws as the constructor does.
    [[nodiscard]] CoordinateConverter with_image(winio::Size image) const;

    [[nodiscard]] CoordinateConvention convention() const { return convention_; }
    [[nodiscard]] const Correction& correction() const { return correction_; }
    /// The size of the image as the model sees it; for conventions other than model pixels, the size
    /// as it is sent.
    [[nodiscard]] winio::Size model_image() const { return model_image_; }
    /// The largest number of each axis; the smallest is 0.
    [[nodiscard]] ModelPoint max_point() const { return max_; }
    /// Decimals that a number of the convention has at most.
    [[nodiscard]] int decimals() const { return decimals_; }
    /// The distance of neighboring numbers, in 1/1000 of the image; 0 for an axis of a single number.
    [[nodiscard]] winio::NormPoint step() const;
    /// Whether both numbers are finite and in range. Numbers out of range are a sign of a model that
    /// uses another convention.
    [[nodiscard]] bool contains(ModelPoint point) const;

    /// Clamped to 0..1000 and rounded to the convention's decimals. NaN becomes 0.
    [[nodiscard]] ModelPoint to_model(winio::NormPoint point) const;
    /// The same without rounding, so that `to_norm` returns the same position.
    [[nodiscard]] ModelPoint to_model_exactly(winio::NormPoint point) const;
    /// Clamped to the convention's range. NaN becomes 0. Decimals are accepted in every convention.
    [[nodiscard]] winio::NormPoint to_norm(ModelPoint point) const;

    /// The numbers as a list in the order of the convention: [x, y], or [y, x] for norm1000_yx.
    [[nodiscard]] std::array<double, 2> to_list(winio::NormPoint point) const;
    /// [x1, y1, x2, y2], or [y1, x1, y2, x2] for norm1000_yx.
    [[nodiscard]] std::array<double, 4> to_list(const winio::NormBox& box) const;
    /// The inverse of `to_list`, clamped.
    [[nodiscard]] winio::NormPoint to_norm(const std::array<double, 2>& list) const;
    /// The inverse of `to_list`, clamped, with inverted corners swapped.
    [[nodiscard]] winio::NormBox to_norm(const std::array<double, 4>& list) const;

    /// A number without an exponent: "500", "0.25".
    [[nodiscard]] static std::string text(double number);
    /// The list as text: "[500, 250]", "[0.5, 0.25]".
    [[nodiscard]] std::string text(winio::NormPoint point) const;
    [[nodiscard]] std::string text(const winio::NormBox& box) const;
    /// A position in a sentence or a label: "500,300"; if lists have y first, "y 300,x 500", which is
    /// clear beside members that are named x and y, too. The numbers are rounded to `decimals`.
    [[nodiscard]] std::string label(ModelPoint point) const;
    [[nodiscard]] std::string label(winio::NormPoint point) const;
    /// The range of each axis as text, in the order of the convention: "x from 0 to 1279, y from 0 to
    /// 719".
    [[nodiscard]] std::string range_text() const;
    /// Replaces the placeholders of positions in a prompt or a description; others stay. With
    /// image_pixels and an image of 1280x720:
    ///
    ///     {{point}}        [x, y]                the form of a list
    ///     {{box}}          [x1, y1, x2, y2]
    ///     {{range}}        x from 0 to 1279, y from 0 to 719; 0 to 1000 if the axes are equal
    ///     {{unit}}         in pixels of the screenshot
    ///     {{x:500}}        640                   a place in 1/1000 of the work area, by axis
    ///     {{y:1000}}       719
    ///     {{point:0,500}}  [0, 360]
    [[nodiscard]] std::string filled_in(std::string_view text) const;

private:
    [[nodiscard]] winio::NormPoint stated(winio::NormPoint point) const;

    CoordinateConvention convention_;
    winio::Size model_image_;
    ModelPoint max_;
    int decimals_ = 0;
    std::optional<ImageProcessor> processor_;
    Correction correction_;
};

// --- Model families ------------------------------------------------------------------------------

/// How sure a row of the table is.
enum class Certainty {
    vendor,     ///< the vendor or an author of the model states it
    code,       ///< a parser, prompt or harness of the vendor or of a public agent does it
    inferred,   ///< from the model that the family is made from, or from one report
    unverified, ///< no source was found
};

/// What is known about the positions of a family of models. The texts live as long as the program.
struct ModelFamily {
    /// The rule for ids. Alternatives are separated by '|'; of an alternative, the normalized id has to
    /// contain each part that '+' separates. `model_family` describes normalized ids.
    std::string_view ids;
    std::string_view name;
    bool grounds = true; ///< false: the family states no usable positions as text
    /// How it states positions; empty: not known, or `grounds` is false.
    std::optional<CoordinateConvention> convention{};
    /// In which it was trained to state actions, and often insists on.
    Dialect dialect = Dialect::native;
    std::optional<ImageProcessor> processor{}; ///< as published with the model; servers may differ
    Certainty certainty = Certainty::inferred;
    /// Its models leave the convention or miss often: calibrate instead of relying on the row.
    bool varies = false;
    std::string_view source; ///< a repository and path, an issue, or the address of a document
};

/// The table, in the order in which rules apply: fine-tuned models come before the models that they are
/// made from, because their ids often contain both names.
[[nodiscard]] EYEHAND_AGENT_API std::span<const ModelFamily> model_families();

/// The family of a model, by the id that a server reports: "qwen/qwen3-vl-8b", "qwen2.5vl:7b",
/// "/models/UI-TARS-1.5-7B-Q4_K_M.gguf". Rules apply to the normalized id: the last component of a
/// path, in lower case, without ".gguf", "-", "_" and spaces. Empty for models that only read text and
/// for names that say nothing, such as "default".
///
/// An id is a hint: the same name may have been given to another model, and a server may lack the
/// model's image encoder.
[[nodiscard]] EYEHAND_AGENT_API std::optional<ModelFamily> model_family(std::string_view model_id);

} // namespace eyehand::agent
