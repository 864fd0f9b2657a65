// Writes screenshots that the library annotated, to compare them with those of the page.
//   eyehand-panel-overlay FOLDER
// Writes pairs of NAME.raw.png and NAME.png, and cases.json: [{name, annotation, ui}] in the form
// of the panel's server.
#include "eyehand/agent/annotation.hpp"
#include "eyehand/winio/png.hpp"
#include "json/json.hpp"

#include "frame_set.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

using namespace eyehand;

namespace {

using namespace agent;
using winio::Image;
using winio::Size;

struct Case {
    std::string name{};
    Image image{};
    Annotation annotation{};
    ExecutedHeat heat{.enabled = true};
    BboxHeat boxes{};
    std::optional<CoordinateConverter> numbers{};
};

Image part_of(const Image& frame, Size size) {
    return Image(frame.view().crop({0, 0, size.width, size.height}));
}

std::vector<Case> cases() {
    const auto& frames = frame_set::captured_frames();
    const Annotation usual{{{{1, {312, 402.5}, {}}, {2, {100, 250}, winio::NormPoint{700, 640}}},
                            {{1, {330, 380}, {}}},
                            {},
                            {{1, {50, 900}, winio::NormPoint{220, 120}}, {2, {51.5, 899.25}, {}}}},
                           {{100, 100, 400, 300}, {620.5, 500.5, 333.3, 890.9}}};
    const Annotation edges{
        {{{1, {0, 0}, {}},
          {2, {1000, 1000}, {}},
          {3, {1000, 0}, winio::NormPoint{0, 1000}},
          {14, {2.5, 3.5}, {}}}},
        {{0, 0, 1000, 1000}, {990, 0, 1000, 20}, {500, 500, 500, 500}, {0, 998, 3, 1000}}};
    std::vector<Case> all;
    all.push_back({.name = "usual", .image = frames.at(3), .annotation = usual});
    all.push_back(
        {.name = "pixels",
         .image = frames.at(3),
         .annotation = usual,
         .numbers = CoordinateConverter(CoordinateConvention::image_pixels, {1512, 840})});
    all.push_back({.name = "y-first",
                   .image = frames.at(3),
                   .annotation = edges,
                   .numbers = CoordinateConverter(CoordinateConvention::norm1000_yx, {9, 9})});
    all.push_back({.name = "fractions",
                   .image = frames.at(3),
                   .annotation = usual,
                   .numbers = CoordinateConverter(CoordinateConvention::unit, {9, 9})});
    all.push_back({.name = "photograph", .image = frames.at(11), .annotation = usual});
    all.push_back({.name = "edges", .image = frames.at(5), .annotation = edges});
    all.push_back({.name = "nothing", .image = frames.at(6), .annotation = {}});
    all.push_back(
        {.name = "small", .image = part_of(frames.at(7), {200, 131}), .annotation = usual});
    all.push_back(
        {.name = "one-pixel", .image = part_of(frames.at(7), {1, 1}), .annotation = edges});
    all.push_back(
        {.name = "odd", .image = part_of(frames.at(8), {1533, 859}), .annotation = edges});
    all.push_back({.name = "large", .image = frame_set::screenshots().at(11), .annotation = usual});
    Case settings{.name = "settings", .image = frames.at(11), .annotation = usual};
    settings.heat = {
        .enabled = true,
        .radius_scale = 0.217,
        .stops = {{0.7, {10, 250, 30.5, 0.33}}, {0.2, {255, 0, 0, 1}}, {0.2, {0, 0, 255, 0.9}}},
        .trail_turns = 3,
        .trail_shrink = 0.61};
    settings.boxes = {.enabled = true,
                      .border = {1, 2, 3, 0.5},
                      .border_width = 17,
                      .fill_stops = {{0.1, {255, 255, 0, 0.4}}, {0.9, {0, 255, 255, 0.7}}}};
    all.push_back(settings);
    settings.name = "no-boxes";
    settings.boxes.enabled = false;
    settings.heat.stops.clear();
    all.push_back(settings);
    settings.name = "no-heat";
    settings.heat.enabled = false;
    settings.boxes = {.enabled = true, .border_width = 0};
    all.push_back(settings);
    return all;
}

json::value to_json(const std::vector<winio::GradientStop>& stops) {
    json::array all;
    for (const auto& stop : stops) all.push_back(json::array{stop.at, to_string(stop.color)});
    return all;
}

json::value to_json(const winio::NormPoint& point) { return json::array{point.x, point.y}; }

json::value to_json(const Annotation& annotation) {
    json::array trail;
    for (const auto& turn : annotation.trail) {
        json::array marks;
        for (const Mark& mark : turn) {
            json::object told{{"number", mark.number}, {"at", to_json(mark.at)}};
            if (mark.to) told["to"] = to_json(*mark.to);
            marks.push_back(std::move(told));
        }
        trail.push_back(std::move(marks));
    }
    json::array boxes;
    for (const auto& box : annotation.boxes)
        boxes.push_back({{"x1", box.x1}, {"y1", box.y1}, {"x2", box.x2}, {"y2", box.y2}});
    return {{"trail", std::move(trail)}, {"boxes", std::move(boxes)}};
}

json::value coordinates_of(const Case& one) {
    if (!one.numbers) return nullptr;
    const ModelPoint max = one.numbers->max_point();
    return {{"max", {max.x, max.y}},
            {"decimals", one.numbers->decimals()},
            {"y_first", one.numbers->convention() == CoordinateConvention::norm1000_yx}};
}

json::value ui_of(const Case& one) {
    return {{"coordinates", coordinates_of(one)},
            {"executed_heat",
             {{"enabled", one.heat.enabled},
              {"radius_scale", one.heat.radius_scale},
              {"stops", to_json(one.heat.stops)},
              {"trail_turns", one.heat.trail_turns},
              {"trail_shrink", one.heat.trail_shrink}}},
            {"bbox_heat",
             {{"enabled", one.boxes.enabled},
              {"border", to_string(one.boxes.border)},
              {"border_width", one.boxes.border_width},
              {"fill_stops", to_json(one.boxes.fill_stops)}}}};
}

void write(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
    std::ofstream out(file, std::ios::binary);
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

void make(const std::filesystem::path& folder) {
    json::array told;
    for (Case& one : cases()) {
        write(folder / (one.name + ".raw.png"), winio::encode_png(one.image.view()));
        winio::Canvas canvas(one.image);
        make_overlay(one.annotation, one.heat, one.boxes, one.image.size(),
                     one.numbers ? &*one.numbers : nullptr)
            ->draw(canvas);
        write(folder / (one.name + ".png"), winio::encode_png(one.image.view()));
        told.push_back(
            {{"name", one.name}, {"annotation", to_json(one.annotation)}, {"ui", ui_of(one)}});
    }
    std::ofstream out(folder / "cases.json", std::ios::binary);
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out << json::serialize(told);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        make(argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
