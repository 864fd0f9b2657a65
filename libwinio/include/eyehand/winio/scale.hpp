// Making captures smaller, or larger when forced.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <memory>

namespace eyehand::winio {

/// Scales `source` to `size`, per axis: area averaging where it shrinks (each output pixel is the
/// mean of what it covers, by area), bilinear where it grows. Equal sizes copy. The result is
/// opaque. `source` must not show `into`'s own pixels. Throws std::invalid_argument when `source`
/// or `size` is empty.
EYEHAND_WINIO_API void scale(const ImageView& source, Size size, Image& into);
/// The same in an image of its own. To scale many images, pass `into`, which keeps its memory.
[[nodiscard]] EYEHAND_WINIO_API Image scale(const ImageView& source, Size size);

/// The same in parts: any rows of the result, each exactly as `scale` would make it, from the rows
/// of the source that they cover. Immutable once made, so that threads can share it.
class EYEHAND_WINIO_API Scaler {
public:
    /// Throws std::invalid_argument when either size is empty.
    Scaler(Size source, Size target);
    ~Scaler();
    Scaler(Scaler&&) noexcept;
    Scaler& operator=(Scaler&&) noexcept;

    [[nodiscard]] Size source() const;
    [[nodiscard]] Size target() const;
    /// After so many rows of the result its grid and the source's meet again: stripes of a multiple
    /// of it share no row of the source (when shrinking). 864 rows of 1080 give 4.
    [[nodiscard]] int period() const;
    /// The rows of the source that rows of the result are made of. Throws std::invalid_argument
    /// when `rows` is empty or not within the result.
    [[nodiscard]] RowRange source_rows(const RowRange& rows) const;
    /// The rows of the result that a change in these rows of the source can touch; what lies
    /// outside the source touches none.
    [[nodiscard]] RowRange target_rows(const RowRange& source_rows) const;

    /// Makes `rows` of the result, which become the whole of `into`. `source` is the whole source,
    /// of which only `source_rows(rows)` is read. Throws std::invalid_argument when its size is
    /// another or `rows` is empty or not within the result.
    void scale(const ImageView& source, const RowRange& rows, Image& into) const;

private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

} // namespace eyehand::winio
