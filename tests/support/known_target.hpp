// Finds the target that a request of a calibration asks for, as if the test could see.
#pragma once

#include "eyehand/session/calibration.hpp"
#include "eyehand/winio/png.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// A screen of a calibration, with the PNG that a model receives.
struct KnownScreen {
    eyehand::session::TestScreen screen{};
    std::vector<std::uint8_t> png{};
};

/// The screens of a calibration with this number of requests.
inline const std::vector<KnownScreen>& known_screens(int requests = 40) {
    static std::map<int, std::vector<KnownScreen>> screens;
    const auto make = [requests] {
        std::map<int, KnownScreen> all;
        for (const auto& question : eyehand::session::test_questions(requests)) {
            KnownScreen& one = all[question.screen];
            if (!one.png.empty()) continue;
            one.screen = eyehand::session::test_screen(question.screen);
            one.png = eyehand::winio::encode_png(one.screen.image.view());
        }
        std::vector<KnownScreen> list;
        for (auto& [index, screen] : all) list.push_back(std::move(screen));
        return list;
    };
    const auto known = screens.find(requests);
    return known != screens.end() ? known->second : screens.emplace(requests, make()).first->second;
}

/// `text` contains the questions "Click on ..." so far. Nothing if the screen does not have the target
/// of the last one.
inline std::optional<eyehand::session::PositionSample> known_target(std::string_view text,
                                                                    const KnownScreen& shown) {
    const std::size_t at = text.rfind("Click on ");
    if (at == std::string_view::npos) return std::nullopt;
    for (const eyehand::session::Target& target : shown.screen.targets)
        if (text.substr(at).starts_with("Click on " + target.description + "."))
            return eyehand::session::PositionSample{shown.screen.image.size(), target.bounds, {}};
    return std::nullopt;
}

/// The numbers of the target's center in a convention.
inline std::array<double, 2> center_numbers(const eyehand::session::PositionSample& sample,
                                            const eyehand::agent::CoordinateConverter& numbers) {
    const eyehand::winio::Rect& target = sample.target;
    return numbers.to_list(eyehand::winio::NormPoint{
        (target.x + (target.width - 1) / 2.0) * 1000 / (sample.image.width - 1),
        (target.y + (target.height - 1) / 2.0) * 1000 / (sample.image.height - 1)});
}

} // namespace test
