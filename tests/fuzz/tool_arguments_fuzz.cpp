// Any arguments for any tool give a result that is JSON; a failure has a type, and a plan aims only
// at points in the work area. Arguments of every type respect the limits of their types and read
// the same from their own JSON. The input's first byte chooses the tool.
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace eyehand;

namespace {

enum class Side { left, right };
BOOST_DESCRIBE_ENUM(Side, left, right)

struct Window {
    std::string name;
    std::vector<std::int16_t> bounds;
    std::optional<Side> docked;
    std::map<std::string, std::optional<std::uint64_t>> counts;
    bool operator==(const Window&) const = default;
};
BOOST_DESCRIBE_STRUCT(Window, (), (name, bounds, docked, counts))

struct Everything {
    std::optional<std::int64_t> integer;
    std::optional<std::uint64_t> natural;
    std::optional<std::int8_t> percent; // from -100 to 100
    std::optional<float> number;
    std::optional<std::vector<std::vector<double>>> rows;
    std::optional<Window> window;
    bool operator==(const Everything&) const = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (), (integer, natural, percent, number, rows, window))

// The arguments as JSON. Boost.JSON may miss the nearest double by one, so fractions are left out.
template <class Integer>
requires std::is_integral_v<Integer> std::string json_of(Integer value) {
    return std::to_string(value);
}
std::string json_of(const std::string& text) { return agent::json_quote(text); }
std::string json_of(Side side) { return side == Side::left ? R"("left")" : R"("right")"; }
std::string json_of(const Window& window);
template <class T>
std::string json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : "null";
}
template <class T>
std::string json_of(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "[" : ",") + json_of(value);
    return text.empty() ? "[]" : text + "]";
}
template <class T>
std::string json_of(const std::map<std::string, T>& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text += (text.empty() ? "{" : ",") + json_of(name) + ":" + json_of(value);
    return text.empty() ? "{}" : text + "}";
}
std::string json_of(const Window& window) {
    return R"({"name":)" + json_of(window.name) + R"(,"bounds":)" + json_of(window.bounds) +
           R"(,"docked":)" + json_of(window.docked) + R"(,"counts":)" + json_of(window.counts) +
           "}";
}
std::string json_of(const Everything& all) {
    return R"({"integer":)" + json_of(all.integer) + R"(,"natural":)" + json_of(all.natural) +
           R"(,"percent":)" + json_of(all.percent) + R"(,"window":)" + json_of(all.window) + "}";
}

agent::ToolResult check(const Everything& all, agent::ToolContext&) {
    if (all.percent && std::abs(*all.percent) > 100) std::abort();
    if (all.number && !std::isfinite(*all.number)) std::abort();
    const auto json = agent::parse_json(json_of(all));
    if (!json) std::abort();
    Everything again;
    if (agent::decode<Everything>(agent::JsonDocument::view_of(*json), again)) std::abort();
    again.number = all.number;
    again.rows = all.rows;
    if (again != all) std::abort();
    return agent::ok();
}

agent::Toolbox all_tools() {
    agent::Toolbox tools = agent::desktop_tools().present(agent::load_profile("observer").tools);
    tools.add<Everything>("everything", "Takes arguments of every type.",
                          {agent::arg("integer", &Everything::integer, ""),
                           agent::arg("natural", &Everything::natural, ""),
                           agent::arg("percent", &Everything::percent, "", agent::range{-100, 100}),
                           agent::arg("number", &Everything::number, ""),
                           agent::arg("rows", &Everything::rows, ""),
                           agent::arg("window", &Everything::window, "")},
                          check);
    return tools;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const agent::Toolbox tools = all_tools();
    static const auto specs = tools.specs();
    static winio::testing::MemoryDesktop desktop({64, 64});
    if (size == 0) return 0;
    agent::ToolContext context{desktop, winio::WorkArea({-32, 0, 64, 64}), {}};
    const agent::ToolResult result =
        tools.call({"id",
                    specs[data[0] % specs.size()].name,
                    {reinterpret_cast<const char*>(data) + 1, size - 1},
                    {}},
                   context);
    if (!agent::parse_json(result.json())) std::abort();
    if (result.plan() && !result.succeeded()) std::abort();
    if (!result.plan()) return 0;
    for (const winio::Point target : result.plan()->targets) {
        if (!context.area.contains(target)) std::abort();
    }
    return 0;
}
