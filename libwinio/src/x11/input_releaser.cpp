#include "watchdog/input_releaser.hpp"
#include "eyehand/winio/error.hpp"
#include "x11/clipboard.hpp"
#include "x11/connection.hpp"
#include "x11/held_input.hpp"
#include "x11/open_desktop.hpp"

#include <xcb/xtest.h>

#include <memory>
#include <string>

namespace eyehand::winio::x11 {
namespace {

/// XTEST's keyboard and pointer belong to the server, so any connection can release their keys and
/// buttons. The release of a key that is not pressed has no effect.
class XTestReleaser final : public InputReleaser {
public:
    explicit XTestReleaser(const std::string& display) : connection_(display) {
        if (!connection_.has(&xcb_test_id))
            throw Error(errc::not_supported, "the X server lacks the XTEST extension");
        xcb_test_grab_control(connection_.get(), 1);
        connection_.synchronize();
    }

    void release(std::span<const ReleaseCode> codes) override {
        for (const ReleaseCode code : codes) {
            const NativeInput input = release_of(code);
            xcb_test_fake_input(connection_.get(), static_cast<std::uint8_t>(input.kind),
                                input.code, XCB_CURRENT_TIME, connection_.root(), 0, 0, 0);
        }
        connection_.synchronize();
    }

    void restore_clipboard(const std::string& text, ClipboardNumber owner) override {
        const xcb_window_t now = clipboard_.owner();
        if (now != XCB_WINDOW_NONE && now != owner) return;
        try_repeatedly([&] { text.empty() ? clipboard_.clear() : clipboard_.set_text(text); });
    }

    void serve_clipboard() override { clipboard_.wait_until_replaced(); }

private:
    Connection connection_;
    HoldLease no_lease_;
    SelectionClipboard clipboard_{connection_, no_lease_};
};

} // namespace

std::unique_ptr<InputReleaser> open_releaser(const std::string& display) {
    return std::make_unique<XTestReleaser>(display);
}

} // namespace eyehand::winio::x11
