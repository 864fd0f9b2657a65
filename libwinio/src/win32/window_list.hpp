// The top-level windows of this session.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

namespace eyehand::winio::win32 {

class WindowList final : public Windows {
public:
    /// Refers to `system`, which must outlive it.
    explicit WindowList(const SystemCalls& system) : system_(system) {}
    std::vector<WindowInfo> list() override;
    std::optional<Rect> control_at(WindowId window, Point at) override;
    /// Throws Error{input_not_permitted} for a window whose program has higher rights: it cannot be
    /// moved or closed, and can be focused only if the system allows it.
    std::vector<PasswordField> password_fields() override;
    void apply(const WindowCommand& command) override;

private:
    const SystemCalls& system_;
};

} // namespace eyehand::winio::win32
