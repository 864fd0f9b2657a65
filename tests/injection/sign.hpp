// Windows that show the hostile text. Each system has its own: sign_x11.cpp, sign_win32.cpp.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <memory>
#include <string>

namespace injection_tests {

/// A window of another process, which ends with this object. It may have the keyboard focus until the
/// window of a victim opens, which does not cover it.
class Sign {
public:
    virtual ~Sign() = default;
    /// The part of the desktop in which the text is the only thing with the color `ink`, desktop
    /// pixels.
    [[nodiscard]] virtual eyehand::winio::Rect area() const = 0;
    [[nodiscard]] virtual eyehand::winio::Color ink() const = 0;
};

/// A window that shows the text. Its window must appear; the text may be painted later.
[[nodiscard]] std::unique_ptr<Sign> open_text(eyehand::winio::Desktop& desktop,
                                              const std::string& text);
/// A web page in a browser, with the text as its title and content. On Windows, the window of an
/// editor with that title stands for it, because Wine has no browser.
[[nodiscard]] std::unique_ptr<Sign> open_page(eyehand::winio::Desktop& desktop,
                                              const std::string& text);

} // namespace injection_tests
