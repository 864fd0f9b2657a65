#include "eyehand/session/script.hpp"

#include "base/text.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::session {
namespace {

using agent::Action;

/// The action of `agent-cli do` for each tool whose subject is its only argument.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> with_text{
    {{"type", "type"},
     {"paste_text", "paste"},
     {"press", "press"},
     {"hotkey", "press"},
     {"focus_window", "focus"},
     {"launch_app", "launch"}}};
/// The same for each tool whose points are its only arguments.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> with_points{
    {{"click", "click"},
     {"click_here", "click"},
     {"double_click", "double-click"},
     {"right_click", "right-click"},
     {"drag", "drag"},
     {"move", "move"}}};

template <std::size_t Count>
std::optional<std::string_view>
find(const std::array<std::pair<std::string_view, std::string_view>, Count>& table,
     std::string_view tool) {
    for (const auto& [name, action] : table)
        if (name == tool) return action;
    return std::nullopt;
}

class Writer {
public:
    explicit Writer(const agent::RunStore& run) {
        for (const agent::Setting& setting : agent::load_run(run).summary.settings) {
            if (setting.name == "secrets") has_secrets_ = true;
            if ((setting.name == "display" || setting.name == "window" || setting.name == "crop") &&
                !setting.value.empty())
                area_ += fmt::format(" --{} {}", setting.name, quoted(setting.value));
        }
    }

    void add(const agent::Event& event) {
        agent::visit(
            event,
            [&](const agent::Invoked& fact) {
                const Action& action = fact.action;
                const bool refused = !fact.ok && !action.tool.empty();
                if (action.acts || refused || action.tool == "wait") add(event.turn, fact);
            },
            [&](const agent::Recovered&) { comment(event.turn, "the recovery from a loop"); },
            [](const auto&) {});
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void add(int turn, const agent::Invoked& fact) {
        const Action& action = fact.action;
        if (fact.interrupted) return comment(turn, action.tool + ", which was interrupted");
        if (!fact.ok) return comment(turn, action.tool + ", which was refused or failed");
        // The program would type the reference, and the run does not contain the value.
        if (has_secrets_ && action.tool == "type" &&
            action.subject.find("secret://") != std::string::npos)
            return comment(turn, "type, whose text contains a secret");
        if (action.tool == "wait") return line("sleep ", quoted(action.subject));
        if (const auto name = find(with_text, action.tool)) return command(*name, {action.subject});
        if (const auto name = find(with_points, action.tool); name && !action.points.empty())
            return command(*name, numbers(action));
        if (action.tool.starts_with("scroll") && !action.points.empty()) {
            // "3 down"
            const std::size_t space = action.subject.find(' ');
            std::vector<std::string> arguments = numbers(action);
            arguments.push_back((action.subject.ends_with(" down") ? "-" : "") +
                                action.subject.substr(0, space));
            return command("scroll", arguments);
        }
        comment(turn, "the tool " + action.tool);
    }

    static std::vector<std::string> numbers(const Action& action) {
        std::vector<std::string> all;
        for (const winio::NormPoint& point : action.points) {
            all.push_back(fmt::format("{}", point.x));
            all.push_back(fmt::format("{}", point.y));
        }
        return all;
    }

    void command(std::string_view action, const std::vector<std::string>& arguments) {
        std::string words = fmt::format("{}{} --", action, area_);
        for (const std::string& argument : arguments) words += " " + quoted(argument);
        line("agent-cli do ", words);
    }
    void comment(int turn, std::string_view what) {
        line(fmt::format("# turn {}, not repeated: ", turn), agent::one_line(what));
    }
    void line(std::string_view begin, std::string_view end) {
        text_ += begin;
        text_ += end;
        text_ += '\n';
    }

    /// A shell takes everything between single quotation marks literally.
    [[nodiscard]] static std::string quoted(std::string_view text) {
        return "'" + agent::replace_all(std::string(text), "'", "'\\''") + "'";
    }

    std::string area_;
    bool has_secrets_ = false;
    std::string text_ = "#!/bin/sh\nset -eu\n";
};

} // namespace

std::string script_of(const agent::RunStore& run) {
    Writer writer(run);
    agent::for_each_event(run, [&](agent::Event&& event) { writer.add(event); });
    return writer.take();
}

} // namespace eyehand::session
