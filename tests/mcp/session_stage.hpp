// A session on a desktop in memory, without a server.
#pragma once

#include "desktop/client_session.hpp"
#include "desktop/session_tools.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "temp_folder.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace test {

/// Options of tests: nothing is waited for, and no guard.
inline eyehand::mcp::DesktopServerOptions quick_options(const std::filesystem::path& runs) {
    eyehand::mcp::DesktopServerOptions options;
    options.runs = runs;
    options.agent.guard = eyehand::agent::Guard(eyehand::agent::GuardLevel::off);
    options.agent.settle.minimum = options.agent.settle.quiet = std::chrono::milliseconds(0);
    options.agent.reaction = eyehand::winio::no_reaction_wait;
    return options;
}

struct SessionStage {
    TempFolder folder;
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{640, 480}};
    eyehand::mcp::DesktopServerOptions options = quick_options(folder.path());
    eyehand::agent::Profile profile;
    eyehand::mcp::Turnstile turnstile;
    bool asks_client = false;
    std::unique_ptr<eyehand::mcp::ClientSession> session;

    SessionStage() { // something to see: each place looks different
        for (int y = 0; y < 480; y += 16)
            for (int x = 0; x < 640; x += 16)
                desktop.screen().fill({x, y, 16, 16}, {static_cast<std::uint8_t>(x / 3),
                                                       static_cast<std::uint8_t>(y / 2), 90});
    }
    void begin() {
        profile = eyehand::mcp::session_profile(options);
        session = std::make_unique<eyehand::mcp::ClientSession>(
            eyehand::mcp::ClientSession::Surroundings{desktop, options, profile, turnstile},
            asks_client);
    }
    eyehand::mcp::CallResult call(const std::string& tool, const std::string& arguments = "{}",
                                  const eyehand::mcp::CallLinks& links = {}, bool image = true) {
        if (!session) begin();
        return session->call({.tool = tool, .arguments_json = arguments, .wants_image = image},
                             links);
    }
    /// A click on the pixel, which repaints its surroundings if `paints`.
    eyehand::mcp::CallResult click(int x, int y, const eyehand::mcp::CallLinks& links = {}) {
        return call("click",
                    R"({"element":"it","position":[)" + std::to_string(x) + "," +
                        std::to_string(y) + "]}",
                    links);
    }
    /// From now on, each press repaints this rectangle in another color.
    void react_with(const eyehand::winio::Rect& rect) {
        desktop.on_input = [this, rect,
                            color = 0](const eyehand::winio::InputEvent& event) mutable {
            const auto* button = std::get_if<eyehand::winio::ButtonChange>(&event);
            if (button == nullptr || button->press != eyehand::winio::Press::down) return;
            color += 40;
            desktop.screen().fill(rect, {static_cast<std::uint8_t>(color), 250, 10});
        };
    }
    [[nodiscard]] int presses() const {
        int count = 0;
        for (const auto& event : desktop.events())
            if (const auto* button = std::get_if<eyehand::winio::ButtonChange>(&event))
                count += button->press == eyehand::winio::Press::down ? 1 : 0;
        return count;
    }
};

inline boost::json::object structured(const eyehand::mcp::CallResult& result) {
    return boost::json::parse(result.structured_json).as_object();
}
inline std::vector<eyehand::mcp::Image> images_of(const eyehand::mcp::CallResult& result) {
    std::vector<eyehand::mcp::Image> images;
    for (const auto& content : result.content)
        if (const auto* image = std::get_if<eyehand::mcp::Image>(&content))
            images.push_back(*image);
    return images;
}
inline std::string text_at(const boost::json::object& object, const char* name) {
    return std::string(object.at(name).as_string().c_str());
}

} // namespace test
