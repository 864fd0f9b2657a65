// Clicks the middle of the screen and saves what it looks like then. Links libwinio alone.
#include <winio/confirm.hpp>
#include <winio/frame_pipeline.hpp>
#include <winio/gesture.hpp>

#include <fstream>

int main() {
    const auto desktop = winio::open_desktop();
    const winio::WorkArea area = winio::choose_area(*desktop, {});
    winio::Hands hands(*desktop, area);
    const auto capturer = desktop->open_capturer({});
    auto report =
        winio::act_and_look(hands, *capturer, winio::gesture::click(area.to_pixel({500, 500})));
    const auto png = winio::FramePipeline().process(std::move(report.after.frame)).png;
    std::ofstream("screen.png", std::ios::binary)
        .write(reinterpret_cast<const char*>(png->data()), std::ssize(*png));
}
