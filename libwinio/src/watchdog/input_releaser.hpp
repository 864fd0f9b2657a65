// Undoes what another process has done. Each back-end implements it.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "watchdog/hold.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace eyehand::winio {

class InputReleaser {
public:
    virtual ~InputReleaser() = default;
    /// Releases those that are pressed. Ignores errors: a watchdog can do nothing more.
    virtual void release(std::span<const ReleaseCode> codes) = 0;
    /// Copies the text to the clipboard, or empties it for an empty text, if the clipboard still has the
    /// content with this number, or on X11 none. Ignores errors.
    virtual void restore_clipboard(const std::string& text, ClipboardNumber number) = 0;
    /// Returns after other programs no longer need this process for reading a restored clipboard.
    virtual void serve_clipboard() {}

protected:
    /// Calls it again after an exception, up to ten times: other programs may hold the clipboard for
    /// longer than an attempt waits.
    static void try_repeatedly(const std::function<void()>& replace_clipboard);
};

} // namespace eyehand::winio
