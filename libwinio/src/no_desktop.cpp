// What `open_desktop` is on systems without a back-end.
#include "winio/desktop.hpp"
#include "winio/error.hpp"

namespace winio {

std::unique_ptr<Desktop> open_desktop() {
    throw Error(errc::not_supported, "libwinio has a desktop for Windows only");
}

} // namespace winio
