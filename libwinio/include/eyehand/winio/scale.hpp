// Scales images down and up.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <memory>

namespace eyehand::winio {

/// Scales `source` to `size`. Each axis that shrinks uses area averaging (each output pixel is the
/// mean of the source pixels that it covers, weighted by area); each axis that grows uses bilinear
/// interpolation. Copies if the sizes are equal. The result is opaque. `source` must not be a view
/// of `into`. Throws std::invalid_argument if `source` or `size` is empty.
EYEHAND_WINIO_API void scale(const ImageView& source, Size size, Image& into);
/// The same, but returns a new image. To scale many images, pass `into`, which keeps its memory.
[[nodiscard]] EYEHAND_WINIO_API Image scale(const ImageView& source, Size size);

/// Scales in parts: computes any rows of the result, each exactly as `scale` would, from the rows
/// of the source that they cover. Immutable, so threads can share it.
class EYEHAND_WINIO_API Scaler {
public:
    /// Throws std::invalid_argument if either size is empty.
    Scaler(Size source, Size target);
    ~Scaler();
    Scaler(Scaler&&) noexcept;
    Scaler& operator=(Scaler&&) noexcept;

    [[nodiscard]] Size source() const;
    [[nodiscard]] Size target() const;
    /// The number of result rows after which the grids of the result and the source align again.
    /// Stripes whose height is a multiple of it share no row of the source (when shrinking).
    /// Scaling 1080 rows to 864 gives 4.
    [[nodiscard]] int period() const;
    /// The source rows from which `rows` of the result are computed. Throws std::invalid_argument
    /// if `rows` is empty or not within the result.
    [[nodiscard]] RowRange source_rows(const RowRange& rows) const;
    /// The rows of the result that a change in these rows of the source can affect. Rows outside
    /// the source affect none.
    [[nodiscard]] RowRange target_rows(const RowRange& source_rows) const;

    /// Computes `rows` of the result; `into` contains only these rows afterwards. `source` is the
    /// whole source, of which only `source_rows(rows)` is read. Throws std::invalid_argument if
    /// `source` has another size, or if `rows` is empty or not within the result.
    void scale(const ImageView& source, const RowRange& rows, Image& into) const;

private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

} // namespace eyehand::winio
