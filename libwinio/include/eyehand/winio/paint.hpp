// Paints on images by the rules of an HTML canvas, so that a web page can draw the same image:
// colors between the stops of a gradient are interpolated without premultiplying ("Fill and stroke
// styles" of the HTML standard), and painted source-over ("Compositing and Blending Level 1").
//
//     Canvas canvas(image);
//     canvas.fill_disc({320, 200}, 24, Gradient({{0, {255, 140, 0, 0.8}}, {1, {255, 90, 0, 0}}}));
//     canvas.write({330, 210}, "1 (500,500)", 2, {255, 255, 255});
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// A color in the notation of CSS.
struct Rgba {
    double red = 0; ///< 0 to 255, as are green and blue
    double green = 0;
    double blue = 0;
    double alpha = 1; ///< 0 is transparent, 1 is opaque
    friend bool operator==(const Rgba&, const Rgba&) = default;
};
/// Parses "rgba(255, 140, 0, 0.5)", "rgb(255, 140, 0)", "#ff8c00" and "#ff8c0080"; empty for any
/// other text and for values out of range.
[[nodiscard]] EYEHAND_WINIO_API std::optional<Rgba> parse_rgba(std::string_view text);
/// "rgba(255,140,0,0.5)", which `parse_rgba` reads.
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const Rgba& color);

struct GradientStop {
    double at = 0; ///< 0 to 1
    Rgba color{};
    friend bool operator==(const GradientStop&, const GradientStop&) = default;
};

/// Colors along a radius: 0 is the center, 1 the rim. Before the first stop, the color is that of
/// the first stop; after the last stop, that of the last stop. A gradient without stops is
/// transparent.
class EYEHAND_WINIO_API Gradient {
public:
    /// Accepts the stops in any order; stops at the same place keep their order. `opacity` (0 to 1)
    /// multiplies each alpha. Throws std::invalid_argument if a value is out of range.
    explicit Gradient(std::span<const GradientStop> stops, double opacity = 1);
    Gradient(std::initializer_list<GradientStop> stops, double opacity = 1)
        : Gradient(std::span(stops.begin(), stops.size()), opacity) {}

    /// The color at `t`, computed without the table.
    [[nodiscard]] Rgba at(double t) const;

private:
    friend class Canvas;
    /// The values to paint: color times alpha, and the share of the image that shines through, in
    /// 65536ths. They come from a table, because a gradient over a whole screenshot has a million
    /// pixels. With `table_size` entries, a color differs from the exact one by at most one of 255
    /// levels.
    struct Layer {
        std::uint64_t blue_red = 0; ///< red in the upper half
        std::uint32_t green = 0;
        std::uint32_t through = 65536;
    };
    [[nodiscard]] static Layer layer_of(const Rgba& color);
    static constexpr std::size_t table_size = 1024;
    std::vector<GradientStop> stops_; // sorted
    double opacity_;
    std::array<Layer, table_size + 2> table_{}; ///< the last entry is transparent
};

/// Paints on some rows of an image. All coordinates are pixels of the whole image, and drawing is
/// clipped to these rows, so that an image can be painted in parts. The result is opaque. Refers to
/// `rows`, which must outlive the canvas.
class EYEHAND_WINIO_API Canvas {
public:
    /// `rows` contains the rows of the image from `first_row` on.
    explicit Canvas(Image& rows, int first_row = 0) : rows_(rows), first_row_(first_row) {}

    void fill(const Rect& area, const Rgba& color);
    /// Fills the pixels whose center is at most `radius` from the center of the pixel `center`. The
    /// rim is not anti-aliased.
    void fill_disc(Point center, double radius, const Gradient& gradient);
    /// Fills `area` from its center; the gradient ends at half the longer side.
    void fill_radially(const Rect& area, const Gradient& gradient);
    /// Draws a border of `width` pixels inside `area`.
    void frame(const Rect& area, int width, const Rgba& color);
    /// Writes in the font of bitmap_font.hpp; each of its pixels becomes a square of `scale` by
    /// `scale` pixels.
    void write(Point top_left, std::string_view text, int scale, const Rgba& color);

private:
    enum class Outside { clear, last_color };
    void paint(const Rect& area, double center_x, double center_y, double radius, Outside outside,
               const Gradient& gradient);
    [[nodiscard]] Rect visible(const Rect& area) const;
    Image& rows_;
    int first_row_;
};

/// The size of a text that `Canvas::write` writes.
[[nodiscard]] EYEHAND_WINIO_API Size text_size(std::string_view text, int scale);

/// Annotations on a screenshot for a model. `FramePipeline::annotate` draws them in parts.
class EYEHAND_WINIO_API Overlay {
public:
    virtual ~Overlay() = default;
    /// The rows of the screenshot that it touches; may contain more rows.
    [[nodiscard]] virtual std::vector<RowRange> rows() const = 0;
    /// Draws on the rows of `canvas`. Called on several threads at a time, each with different
    /// rows.
    virtual void draw(Canvas& canvas) const = 0;
};

} // namespace eyehand::winio
