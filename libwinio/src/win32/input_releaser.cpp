#include "watchdog/input_releaser.hpp"

#include "win32/held_input.hpp"
#include "win32/open_desktop.hpp"
#include "win32/system_clipboard.hpp"
#include "win32/system_input.hpp"

#include <memory>
#include <optional>
#include <string>

namespace eyehand::winio::win32 {
namespace {

/// Not tested for rights: the releases of what is not pressed have no effect.
class SystemReleaser final : public InputReleaser {
public:
    void release(std::span<const ReleaseCode> codes) override {
        // One by one: a release that is refused must not prevent the others.
        for (INPUT& input : to_inputs(releases_of_codes(codes))) SendInput(1, &input, sizeof input);
    }

    void restore_clipboard(const std::string& text, ClipboardNumber number) override {
        try_repeatedly([&] { clipboard_.restore_text(text, number); });
    }

private:
    SystemCalls system_;
    HoldLease no_lease_;
    SystemClipboard clipboard_{system_, no_lease_};
};

} // namespace

std::unique_ptr<InputReleaser> open_releaser() { return std::make_unique<SystemReleaser>(); }

} // namespace eyehand::winio::win32
