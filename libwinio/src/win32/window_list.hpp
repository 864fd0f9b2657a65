// The top-level windows of this session.
#pragma once

#include "winio/desktop.hpp"

namespace winio::win32 {

class WindowList final : public Windows {
public:
    std::vector<WindowInfo> list() override;
    void apply(const WindowCommand& command) override;
};

} // namespace winio::win32
