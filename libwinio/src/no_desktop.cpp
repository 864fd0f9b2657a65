// What `open_desktop` is on systems without a back-end.
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

namespace eyehand::winio {

std::unique_ptr<Desktop> open_desktop() {
    throw Error(errc::not_supported,
                "this libwinio was built without a desktop: it has one for Windows, and "
                "one for X11 unless EYEHAND_X11 was switched off");
}

} // namespace eyehand::winio
