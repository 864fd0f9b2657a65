// An overlay for tests.
#pragma once

#include "eyehand/winio/paint.hpp"

#include <vector>

/// Draws a bar across some rows.
class Bar final : public eyehand::winio::Overlay {
public:
    explicit Bar(eyehand::winio::RowRange rows) : rows_(rows) {}
    [[nodiscard]] std::vector<eyehand::winio::RowRange> rows() const override { return {rows_}; }
    void draw(eyehand::winio::Canvas& canvas) const override {
        canvas.fill({0, rows_.first, 10000, rows_.count}, {255, 0, 0, 0.5});
    }

private:
    eyehand::winio::RowRange rows_;
};
