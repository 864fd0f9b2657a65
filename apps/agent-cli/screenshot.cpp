// agent-cli screenshot FILE
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/settle.hpp"
#include "platform.hpp"

#include <fmt/format.h>

#include <fstream>

namespace eyehand::cli {

ExitCode take_screenshot(const ScreenshotFlags& flags) {
    const winio::AreaChoice choice = area_choice(flags.view);
    winio::FramePipeline pipeline(screenshot_options(flags.view, flags.file));
    const auto desktop = winio::open_desktop();
    const winio::WorkArea area = work_area(*desktop, choice);
    const auto capturer = desktop->open_capturer({.pointer = !flags.view.no_cursor});
    winio::Frame frame;
    winio::capture_patiently(*capturer, area.bounds(), frame);
    const winio::Screenshot screenshot = pipeline.process(std::move(frame));

    std::ofstream out(path_of(flags.file), std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(screenshot.file->data()),
              static_cast<std::streamsize>(screenshot.file->size()));
    out.close();
    if (!out) {
        throw UsageError(fmt::format(
            "{} cannot be written; check that its folder exists and is writable", flags.file));
    }
    fmt::print("{} {}x{} of {}x{} at {},{}\n", flags.file, screenshot.size.width,
               screenshot.size.height, screenshot.area.width, screenshot.area.height,
               screenshot.area.x, screenshot.area.y);
    return ExitCode::completed;
}

} // namespace eyehand::cli
