// Helpers for tests of the client: results and log lines.
#pragma once

#include "eyehand/mcp/client.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace test {

/// The texts of a result, without separators.
inline std::string text_in(const eyehand::mcp::CallResult& result) {
    std::string all;
    for (const eyehand::mcp::Content& content : result.content)
        if (const auto* text = std::get_if<eyehand::mcp::Text>(&content)) all += text->text;
    return all;
}

/// The names of the tools that the server offers.
inline std::vector<std::string> names_of(eyehand::mcp::Client& client) {
    std::vector<std::string> names;
    for (const eyehand::mcp::RemoteTool& tool : client.tools()) names.push_back(tool.name);
    return names;
}

/// Lines of the client's log, from any thread.
class Lines {
public:
    std::function<void(std::string_view)> writer() {
        return [this](std::string_view line) {
            const std::lock_guard lock(mutex_);
            lines_ += line;
            lines_ += '\n';
        };
    }
    std::string text() const {
        const std::lock_guard lock(mutex_);
        return lines_;
    }
    bool contain(std::string_view part) const { return text().find(part) != std::string::npos; }

private:
    mutable std::mutex mutex_;
    std::string lines_;
};

} // namespace test
