// The top-level windows of this session.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
    /// The process of a window. It stays the same while the window exists.
    struct Owner {
        std::uint32_t process_id = 0;
        std::string program;
        std::optional<DWORD> integrity; ///< empty if unknown
    };
    [[nodiscard]] Owner owner_of(HWND window) const;

    const SystemCalls& system_;
    /// Of the windows in the latest list: a look lists the windows several times, and opening their
    /// processes takes more than a quarter of the time.
    std::map<HWND, Owner> owners_;
};

} // namespace eyehand::winio::win32
