// A screen with one small target, and a model that finds it in the images that it receives.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "unguarded.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

namespace agent = eyehand::agent;
namespace vlm = eyehand::vlm;
namespace winio = eyehand::winio;

inline constexpr std::array conventions{
    agent::CoordinateConvention::norm1000,        agent::CoordinateConvention::norm999,
    agent::CoordinateConvention::norm1000_yx,     agent::CoordinateConvention::unit,
    agent::CoordinateConvention::percent,         agent::CoordinateConvention::image_pixels,
    agent::CoordinateConvention::model_pixels_28, agent::CoordinateConvention::model_pixels_32};

inline constexpr winio::Size screen{1400, 840};
inline constexpr winio::Color red{.red = 255};
inline constexpr winio::Rect target{903, 417, 3, 3};

/// A model that finds the red target in the latest image, pixel by pixel, and states positions in a
/// convention by arithmetic of its own.
struct SeeingModel {
    agent::CoordinateConvention convention = agent::CoordinateConvention::norm1000;

    static winio::Image latest_image(const vlm::ChatRequest& request) {
        const vlm::Image* latest = nullptr;
        for (const vlm::Message& message : request.messages)
            for (const vlm::Part& part : message.parts)
                if (const auto* image = std::get_if<vlm::Image>(&part)) latest = image;
        if (latest == nullptr) throw std::logic_error("the request has no image");
        return winio::decode_png(*latest->bytes);
    }
    /// The center of all pixels that are clearly red.
    static agent::ModelPoint find(const winio::Image& image) {
        double x = 0;
        double y = 0;
        int count = 0;
        for (int row = 0; row < image.height(); ++row)
            for (int column = 0; column < image.width(); ++column) {
                const winio::Color color = image.at(column, row);
                if (color.red < 200 || color.green > 60) continue;
                x += column;
                y += row;
                ++count;
            }
        if (count == 0) throw std::logic_error("the target is not in the image");
        return {x / count, y / count};
    }
    /// A pixel of an image of this size, in the numbers of the convention.
    [[nodiscard]] std::string list(double x, double y, winio::Size image) const {
        const auto share = [](double at, int side) { return at / (side - 1); };
        switch (convention) {
        case agent::CoordinateConvention::norm1000:
            return fmt::format("[{:.0f},{:.0f}]", 1000 * share(x, image.width),
                               1000 * share(y, image.height));
        case agent::CoordinateConvention::norm999:
            return fmt::format("[{:.0f},{:.0f}]", 999 * share(x, image.width),
                               999 * share(y, image.height));
        case agent::CoordinateConvention::norm1000_yx:
            return fmt::format("[{:.0f},{:.0f}]", 1000 * share(y, image.height),
                               1000 * share(x, image.width));
        case agent::CoordinateConvention::unit:
            return fmt::format("[{:.4f},{:.4f}]", share(x, image.width), share(y, image.height));
        case agent::CoordinateConvention::percent:
            return fmt::format("[{:.2f},{:.2f}]", 100 * share(x, image.width),
                               100 * share(y, image.height));
        default:
            return fmt::format("[{:.0f},{:.0f}]", x, y);
        }
    }
    /// A box around a pixel of the image.
    [[nodiscard]] std::string box(agent::ModelPoint at, double x_margin, double y_margin,
                                  winio::Size image) const {
        const std::string first = list(at.x - x_margin, at.y - y_margin, image);
        const std::string second = list(at.x + x_margin, at.y + y_margin, image);
        return first.substr(0, first.size() - 1) + "," + second.substr(1);
    }
};

struct SmallTargetStage {
    winio::testing::MemoryDesktop desktop{screen};
    vlm::testing::ScriptedModel model;
    agent::MemoryStore store;
    agent::AgentOptions options = unguarded();
    agent::Profile profile = agent::load_profile("observer");
    SeeingModel eyes;

    SmallTargetStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.with = {"zoom"};
        desktop.screen().fill({0, 0, screen.width, screen.height},
                              {.blue = 90, .green = 120, .red = 100});
        desktop.screen().fill(target, red);
        profile.image = winio::FitWithin{{700, 420}}; // half of the screen
    }
    void use(agent::CoordinateConvention convention) {
        profile.coordinates = convention;
        eyes.convention = convention;
    }
    agent::RunFinished run() {
        agent::Agent agent(desktop, model, profile, agent::built_in_tools(), options);
        return agent.run("click", store, agent::RunControl());
    }
    /// The model zooms to a region around the target, by the latest image.
    SmallTargetStage& zoom(double margin = 60) {
        model.answer([this, margin](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            return call("zoom",
                        fmt::format(R"({{"region":{}}})", eyes.box(SeeingModel::find(image), margin,
                                                                   margin / 2, image.size())));
        });
        return *this;
    }
    SmallTargetStage& click(const std::string& tool = "click_element") {
        model.answer([this, tool](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            const agent::ModelPoint at = SeeingModel::find(image);
            return call(tool, fmt::format(R"({{"label":"dot","box":{}}})",
                                          eyes.list(at.x, at.y, image.size())));
        });
        return *this;
    }
    vlm::ChatReply call(std::string name, std::string arguments) {
        vlm::ChatReply reply;
        reply.tool_calls = {
            {fmt::format("c{}", ++calls_), std::move(name), std::move(arguments), {}}};
        reply.finish = vlm::FinishReason::tool_calls;
        return reply;
    }
    [[nodiscard]] std::vector<winio::Point> clicks() const {
        std::vector<winio::Point> all;
        winio::Point at;
        for (const winio::InputEvent& event : desktop.events()) {
            if (const auto* move = std::get_if<winio::PointerMove>(&event)) at = move->to;
            if (event ==
                winio::InputEvent{winio::ButtonChange{winio::Button::left, winio::Press::down}})
                all.push_back(at);
        }
        return all;
    }
    [[nodiscard]] std::vector<agent::Observed> looks() const {
        std::vector<agent::Observed> all;
        for (const agent::Event& event : agent::read_journal(store))
            if (const auto* seen = std::get_if<agent::Observed>(&event.payload))
                all.push_back(*seen);
        return all;
    }
    [[nodiscard]] std::string latest_words(std::size_t request) const {
        return model.requests().at(request).messages.back().text();
    }

private:
    int calls_ = 0;
};

} // namespace test
