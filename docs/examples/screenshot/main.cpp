// Saves a screenshot as a model receives it. Links only libwinio.
#include <eyehand/winio/frame_pipeline.hpp>
#include <eyehand/winio/settle.hpp>

#include <fstream>
#include <utility>

using namespace eyehand;

int main() {
    const auto desktop = winio::open_desktop();
    const winio::Rect area = winio::choose_area(*desktop, {}).bounds();
    winio::Settled look = winio::wait_until_stable(*desktop->open_capturer({}), area);
    const winio::Screenshot screenshot = winio::FramePipeline().process(std::move(look.frame));
    std::ofstream("screen.png", std::ios::binary)
        .write(reinterpret_cast<const char*>(screenshot.file->data()),
               static_cast<std::streamsize>(screenshot.file->size()));
}
