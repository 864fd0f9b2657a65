#include "question.hpp"

#include "json_text.hpp"
#include "one_line.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace stand_in {

std::optional<std::string> asked_label(std::string_view text) {
    constexpr std::string_view begin = "Click on the ";
    constexpr std::array<std::string_view, 3> kinds{"button \"", "link \"", "menu item \""};
    const std::size_t at = text.rfind(begin);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view asked = text.substr(at + begin.size());
    for (const std::string_view kind : kinds) {
        if (!asked.starts_with(kind)) continue;
        const std::string_view label = asked.substr(kind.size());
        const std::size_t end = label.find("\".");
        if (end == std::string_view::npos || !is_searchable(label.substr(0, end))) continue;
        return std::string(label.substr(0, end));
    }
    return std::nullopt;
}

Turn answer_question(const Progress& progress, const ChatRequest& request,
                     const std::optional<Screen>& screen, const Coordinates& coordinates) {
    Turn turn;
    turn.progress = progress;
    const ToolRoles tools(request.tools);
    const auto label = asked_label(request.text);
    const auto box = label && screen ? find(*screen, Target{.text = *label}) : std::optional<Box>();
    Intent intent;
    if (box) {
        intent.label = *label;
        intent.reason =
            fmt::format("The question asks for \"{}\", which is on the screen.", *label);
        intent.place =
            stated(*box, {screen->width, screen->height}, coordinates, turn.progress.positions++);
        turn.reply = {fmt::format("I click \"{}\".", *label), tools.call(Role::click, intent)};
    } else {
        intent.reason = label ? fmt::format("I do not see \"{}\" on the screen.", *label)
                              : std::string("I find only buttons, links and menu items by their "
                                            "text.");
        turn.reply = {intent.reason, tools.call(Role::observe, intent)};
    }
    const std::string call = turn.reply.call ? fmt::format(" -> {}{}", turn.reply.call->name,
                                                           json_text(turn.reply.call->arguments))
                                             : std::string();
    turn.note = on_one_line(turn.reply.content + call);
    return turn;
}

} // namespace stand_in
