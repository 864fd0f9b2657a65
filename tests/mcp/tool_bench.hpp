// Calls the tools of a server through a toolbox.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/mcp/client.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

/// Calls tools of a server as a run does.
struct ToolBench {
    eyehand::mcp::Client client;
    eyehand::agent::Toolbox tools;
    eyehand::winio::testing::MemoryDesktop desktop{eyehand::winio::Size{100, 100}};
    std::stop_source now;
    std::stop_source safe;
    bool permitted = true;
    std::vector<eyehand::agent::GuardedEffect> asked;
    std::vector<std::string> progress;

    explicit ToolBench(eyehand::mcp::ClientOptions options) : client(std::move(options)) {
        tools.add(client);
    }
    eyehand::agent::ToolResult call(const std::string& tool, const std::string& arguments = "{}") {
        using namespace eyehand;
        agent::ToolContext context{desktop, winio::WorkArea(winio::Rect{0, 0, 100, 100}),
                                   now.get_token(), safe.get_token()};
        context.permit =
            [this](const agent::GuardedEffect& effect) -> std::optional<agent::ToolResult> {
            asked.push_back(effect);
            if (permitted) return std::nullopt;
            return agent::fail("denied", "The user said no.");
        };
        context.progress = [this](double done, std::optional<double>, std::string_view message) {
            progress.push_back(std::to_string(static_cast<int>(done)) + " " + std::string(message));
        };
        context.redact = [](std::string_view text) {
            std::string changed(text);
            if (const auto at = changed.find("secret"); at != std::string::npos)
                changed.replace(at, 6, "***");
            return changed;
        };
        return tools.call({"id", tool, arguments, {}}, context);
    }
};

} // namespace test
