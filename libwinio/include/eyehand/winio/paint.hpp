// Painting over pictures by the rules of an HTML canvas, so that a web page that draws the same looks
// the same: colours between the stops of a gradient are interpolated without premultiplying
// ("Fill and stroke styles" of the HTML standard), and painted source-over ("Compositing and
// Blending Level 1").
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

/// A colour as web pages give it.
struct Rgba {
    double red = 0; ///< 0 to 255, as are green and blue
    double green = 0;
    double blue = 0;
    double alpha = 1; ///< 0 is clear, 1 is opaque
    friend bool operator==(const Rgba&, const Rgba&) = default;
};
/// Parses "rgba(255, 140, 0, 0.5)", "rgb(255, 140, 0)", "#ff8c00" and "#ff8c0080"; nothing when it is
/// none of these or out of range.
[[nodiscard]] EYEHAND_WINIO_API std::optional<Rgba> parse_rgba(std::string_view text);
/// "rgba(255,140,0,0.5)", which `parse_rgba` reads.
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const Rgba& colour);

struct GradientStop {
    double at = 0; ///< 0 to 1
    Rgba colour{};
    friend bool operator==(const GradientStop&, const GradientStop&) = default;
};

/// Colours along a radius: 0 is the middle, 1 the rim. Before the first stop the colour is the first
/// one's, behind the last one the last one's. Without stops it is clear.
class EYEHAND_WINIO_API Gradient {
public:
    /// The stops in any order; those at one place count in the order given. `opacity` (0 to 1)
    /// multiplies each alpha. Throws std::invalid_argument for what is out of range.
    explicit Gradient(std::span<const GradientStop> stops, double opacity = 1);
    Gradient(std::initializer_list<GradientStop> stops, double opacity = 1)
        : Gradient(std::span(stops.begin(), stops.size()), opacity) {}

    /// By the formula.
    [[nodiscard]] Rgba at(double t) const;

private:
    friend class Canvas;
    /// What is painted: colour times alpha, and how much of the picture shines through, in 65536ths.
    /// From a table, because a gradient over a whole picture has a million pixels; with as many entries
    /// a colour is at most one of 255 levels from the formula's.
    struct Layer {
        std::uint64_t blue_red = 0; ///< red in the upper half
        std::uint32_t green = 0;
        std::uint32_t through = 65536;
    };
    [[nodiscard]] static Layer layer_of(const Rgba& colour);
    static constexpr std::size_t table_size = 1024;
    std::vector<GradientStop> stops_; // sorted
    double opacity_;
    std::array<Layer, table_size + 2> table_{}; ///< the last one is clear
};

/// Paints on some rows of a picture. Everything is given in pixels of the whole picture; what lies
/// outside these rows is left out, so that a picture can be painted in parts. The result is opaque.
/// Refers to the image, which must outlive it.
class EYEHAND_WINIO_API Canvas {
public:
    /// `rows` is the picture from row `first_row` on.
    explicit Canvas(Image& rows, int first_row = 0) : rows_(rows), first_row_(first_row) {}

    void fill(const Rect& area, const Rgba& colour);
    /// The pixels whose middle is at most `radius` from the middle of the pixel `centre`; the rim has
    /// no soft edge.
    void fill_disc(Point centre, double radius, const Gradient& gradient);
    /// All of `area`, from its middle; the gradient ends at half its longer side.
    void fill_radially(const Rect& area, const Gradient& gradient);
    /// Four bars within `area`.
    void frame(const Rect& area, int width, const Rgba& colour);
    /// In the font of bitmap_font.hpp, each of its pixels a square of `scale` by `scale`.
    void write(Point top_left, std::string_view text, int scale, const Rgba& colour);

private:
    enum class Outside { clear, last_colour };
    void paint(const Rect& area, double centre_x, double centre_y, double radius, Outside outside,
               const Gradient& gradient);
    [[nodiscard]] Rect visible(const Rect& area) const;
    Image& rows_;
    int first_row_;
};

/// How large a text is that `Canvas::write` writes.
[[nodiscard]] EYEHAND_WINIO_API Size text_size(std::string_view text, int scale);

/// What is drawn over a picture before a model gets it. `FramePipeline::annotate` draws it in parts.
class EYEHAND_WINIO_API Overlay {
public:
    virtual ~Overlay() = default;
    /// The rows of the picture that it touches; it may name more.
    [[nodiscard]] virtual std::vector<RowRange> rows() const = 0;
    /// Draws its part of some rows. Called on several threads at a time, each with other rows.
    virtual void draw(Canvas& canvas) const = 0;
};

} // namespace eyehand::winio
