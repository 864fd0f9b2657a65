#include "acting_desktop.hpp"

#include "commands.hpp"
#include "platform.hpp"

#include "eyehand/winio/watchdog.hpp"

namespace eyehand::cli {

std::unique_ptr<winio::Desktop> open_acting_desktop() {
    winio::DesktopOptions options;
    options.watchdog = {text_of(own_program()), "watchdog"};
    return winio::open_desktop(options);
}

ExitCode run_watchdog() {
    winio::serve_watchdog();
    return ExitCode::completed;
}

} // namespace eyehand::cli
