// Shows the answers of a calibration on its screens.
#include "eyehand/session/calibration.hpp"
#include "eyehand/winio/paint.hpp"

#include <algorithm>
#include <map>

namespace eyehand::session {
namespace {

constexpr winio::Rgba hit_color{0, 170, 60};
constexpr winio::Rgba miss_color{220, 20, 20};

void draw_answer(winio::Canvas& canvas, const CalibrationAnswer& answer, int top) {
    const winio::Rgba& color = answer.hit ? hit_color : miss_color;
    const winio::Rect& target = answer.sample.target;
    constexpr int gap = 3; // so that a small target stays visible
    canvas.frame(
        {target.x - gap, target.y - gap + top, target.width + 2 * gap, target.height + 2 * gap}, 2,
        color);
    if (!answer.at) return;
    const winio::WorkArea image({0, 0, answer.sample.image.width, answer.sample.image.height});
    const winio::Point at = image.to_pixel(*answer.at);
    constexpr int arm = 9;
    canvas.fill({at.x - arm, at.y - 1 + top, 2 * arm + 1, 3}, color);
    canvas.fill({at.x - 1, at.y - arm + top, 3, 2 * arm + 1}, color);
}

} // namespace

winio::Image draw_answers(std::span<const CalibrationAnswer> answers) {
    std::map<int, int> tops; // by the index of the screen
    winio::Size size;
    std::map<int, TestScreen> screens;
    for (const CalibrationAnswer& answer : answers) {
        const int index = answer.question.screen;
        if (screens.contains(index)) continue;
        const TestScreen& screen = screens.emplace(index, test_screen(index)).first->second;
        tops[index] = size.height;
        size.width = std::max(size.width, screen.image.width());
        size.height += screen.image.height();
    }
    winio::Image all(size);
    for (const auto& [index, screen] : screens)
        all.copy_from(screen.image.view(), {0, tops[index]});
    winio::Canvas canvas(all);
    for (const CalibrationAnswer& answer : answers)
        draw_answer(canvas, answer, tops[answer.question.screen]);
    return all;
}

} // namespace eyehand::session
