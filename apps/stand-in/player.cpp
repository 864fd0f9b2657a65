#include "player.hpp"

#include "json_text.hpp"
#include "one_line.hpp"
#include "visual_reply.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace stand_in {
namespace {

constexpr int max_repeats = 2;
constexpr std::size_t segments_in_a_statement = 12;

// Any size has the same middle in a convention that does not depend on the size.
constexpr Size size_of_an_unseen_screen{1001, 1001};

std::string first_words(const Screen& screen) {
    std::string words;
    std::size_t count = 0;
    for (const Segment& segment : screen.segments) {
        const std::string text = segment.text();
        if (!is_searchable(text)) continue;
        if (++count > segments_in_a_statement) break;
        words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", text);
    }
    return words.empty() ? "no text at all" : words;
}

struct Doing {
    Role role;
    std::string words; ///< "I click", "I type"
};

Doing doing_of(Action action) {
    switch (action) {
    case Action::double_click:
        return {Role::double_click, "double-click"};
    case Action::right_click:
        return {Role::right_click, "right-click"};
    case Action::drag:
        return {Role::drag, "drag from"};
    case Action::type:
        return {Role::type, "type"};
    case Action::press:
        return {Role::press, "press"};
    case Action::scroll:
        return {Role::scroll, "scroll"};
    case Action::finish:
        return {Role::complete, "finish at"};
    case Action::wait_for:
        return {Role::observe, "wait for"};
    case Action::report:
        return {Role::report, "report"};
    case Action::objective:
        return {Role::brief, "order"};
    case Action::click:
        break;
    }
    return {Role::click, "click"};
}

bool is_click(const Step& step) {
    return step.action == Action::click || step.action == Action::double_click ||
           step.action == Action::right_click;
}

std::string describe(const Step& step) {
    if (step.action == Action::drag)
        return fmt::format("drag from {} to {}", describe(step.target), describe(step.to));
    const std::string what =
        is_click(step) ? describe(step.target) : fmt::format("\"{}\"", step.text);
    const std::string at = step.at.empty() ? "" : fmt::format(" at \"{}\"", step.at);
    return fmt::format("{} {}{}", doing_of(step.action).words, what, at);
}

// At a second click on the same text, the effect of the first one can be seen. A second press of a key, or the same text
// once more, acts on whatever the first one has led to.
int looks_before_repeat(const Step& step, int patience) {
    const bool goes_to_focus = step.action == Action::type || step.action == Action::press;
    return goes_to_focus ? patience : 1;
}

bool must_see(const Step& step) {
    const bool blind = step.action == Action::type || step.action == Action::press ||
                       (step.action == Action::scroll && step.at.empty());
    return !blind || !step.if_visible.empty();
}

/// Answers one request.
class Round {
public:
    Round(const Script& script, Progress progress, const ChatRequest& request,
          const std::optional<Screen>& screen, const Coordinates& coordinates)
        : script_(script), request_(request), screen_(screen), coordinates_(coordinates),
          is_visual_(wants_visual_reply(request)),
          tools_(is_visual_ ? visual_actions(request) : request.tools),
          failure_(is_visual_ ? told_failure(request) : request.failure),
          progress_(std::move(progress)) {
        if (is_new_conversation()) {
            progress_ = Progress{};
            progress_.opening = request.text;
        }
    }

    Turn answer() {
        const Reply reply = decide();
        return {is_visual_ ? Reply{visual_reply(reply), {}} : reply, progress_, note_on(reply)};
    }

private:
    // Teams and visual loops send requests without earlier assistant messages. For them, only the
    // text of the first request distinguishes a new run from the next turn.
    bool is_new_conversation() const {
        if (request_.has_assistant_message) return false;
        const bool by_itself = tools_.has(Role::brief) || tools_.has(Role::complete);
        return !by_itself || progress_.opening.empty() || request_.text == progress_.opening;
    }

    Reply decide() {
        if (!request_.image && tools_.has(Role::brief)) return lead();
        if (auto reply = settle_last_action()) return *reply;
        while (progress_.step < script_.steps.size()) {
            const Step& step = current();
            const bool took_effect =
                progress_.lacks_effect && can_see() && unmet_expectation(step).empty();
            if (is_for_others(step) || took_effect) {
                go_on();
                continue;
            }
            if (must_measure(step) || (must_see(step) && !can_see()))
                return look_again("I need to see the screen");
            const bool left_out = !step.if_visible.empty() && !sees(*screen_, step.if_visible);
            const bool waited =
                step.action == Action::wait_for && can_see() && sees(*screen_, step.text);
            if (!left_out && !waited) return act(step);
            go_on();
        }
        return {"The script is complete: all its steps were executed.", {}, true};
    }

    // Handles the result of the last call. Returns nothing if the next step can start.
    std::optional<Reply> settle_last_action() {
        if (progress_.stage == Progress::Stage::ready) return std::nullopt;
        if (!failure_.empty())
            return repeat_after(fmt::format("The tool reported a failure: {}", failure_));
        if (progress_.stage == Progress::Stage::pointed) return click_at_pointer();
        const Step& step = current();
        if (progress_.times < step.times) {
            progress_.stage = Progress::Stage::ready;
            return std::nullopt;
        }
        if (step.expect.empty() && step.expect_gone.empty()) {
            go_on();
            return std::nullopt;
        }
        if (!can_see()) return look_again("I need to see what happened");
        const std::string missing = unmet_expectation(step);
        if (missing.empty()) {
            go_on();
            return std::nullopt;
        }
        // The screen may not show the effect yet: take more screenshots before the step is repeated.
        if (progress_.looks < looks_before_repeat(step, script_.patience) && may_look_again())
            return look_again(missing);
        progress_.lacks_effect = true;
        return repeat_after(missing);
    }

    std::string unmet_expectation(const Step& step) const {
        if (!step.expect.empty() && !sees(*screen_, step.expect))
            return fmt::format("I do not see \"{}\" on the screen", step.expect);
        if (!step.expect_gone.empty() && sees(*screen_, step.expect_gone))
            return fmt::format("I still see \"{}\" on the screen", step.expect_gone);
        return {};
    }

    std::optional<Reply> repeat_after(const std::string& reason) {
        if (progress_.repeats >= max_repeats) {
            return Reply{fmt::format("I tried {} times to {}. {}. {}", max_repeats + 1,
                                     describe(current()), reason, what_i_see()),
                         {}};
        }
        ++progress_.repeats;
        progress_.looks = 0;
        progress_.stage = Progress::Stage::ready;
        if (const Step& step = current();
            !step.needs.empty() && can_see() && !sees(*screen_, step.needs)) {
            --progress_.step;
            progress_.lacks_effect = false;
        }
        return std::nullopt;
    }

    Reply act(const Step& step) {
        switch (step.action) {
        case Action::click:
        case Action::double_click:
        case Action::right_click:
            return click(step);
        case Action::drag:
            return drag(step);
        case Action::wait_for:
            return look_for(step.text);
        case Action::finish:
            return finish(step);
        case Action::scroll:
            return scroll(step);
        case Action::report:
            return report(step);
        case Action::objective: // is_for_others
        case Action::type:
        case Action::press:
            break;
        }
        return acted(step, tools_.call(doing_of(step.action).role, intent_of(step)));
    }

    Reply click(const Step& step) {
        const auto box = find(*screen_, step.target);
        if (!box) return look_for_target(step.target);
        const Role role = doing_of(step.action).role;
        Intent intent = intent_of(step);
        intent.place = area_of(*box);
        if (!tools_.has(role) || tools_.takes_position(role))
            return acted(step, tools_.call(role, intent));
        auto move = tools_.call(Role::move, intent);
        if (!move) return cannot_express(step);
        progress_.stage = Progress::Stage::pointed;
        return {fmt::format("I see {} and point at it.", describe(step.target)), std::move(move)};
    }

    Reply drag(const Step& step) {
        const auto from = find(*screen_, step.target);
        if (!from) return look_for_target(step.target);
        const auto to = find(*screen_, step.to);
        if (!to) return look_for_target(step.to);
        Intent intent = intent_of(step);
        intent.place = area_of(*from);
        intent.to = area_of(*to);
        return acted(step, tools_.call(Role::drag, intent));
    }

    Reply click_at_pointer() {
        const Step& step = current();
        return acted(step, tools_.call(doing_of(step.action).role, intent_of(step)));
    }

    Reply scroll(const Step& step) {
        Intent intent = intent_of(step);
        const auto box = step.at.empty() ? std::optional(middle_of(screen_size()))
                                         : find(*screen_, Target{.text = step.at});
        if (!box) return look_for(step.at);
        intent.place = area_of(*box);
        return acted(step, tools_.call(Role::scroll, intent));
    }

    Reply finish(const Step& step) {
        if (!sees(*screen_, step.text)) return look_for(step.text);
        Intent intent = intent_of(step);
        intent.text = step.say.empty() ? intent.reason : step.say;
        intent.evidence = fmt::format("The screen shows \"{}\". Other text on it: {}.", step.text,
                                      first_words(*screen_));
        const std::string words =
            step.say.empty()
                ? fmt::format("I see \"{}\" on the screen: the task is done.", step.text)
                : step.say;
        return {words, tools_.call(Role::complete, intent), true};
    }

    Reply report(const Step& step) {
        Intent intent = intent_of(step);
        intent.objective = objective_in_words();
        intent.status = step.text;
        intent.evidence = step.say.empty() ? what_i_see() : step.say;
        return acted(step, tools_.call(Role::report, intent));
    }

    // An agent without a lead skips objectives and reports.
    bool is_for_others(const Step& step) const {
        return step.action == Action::objective ||
               (step.action == Action::report && !tools_.has(Role::report));
    }

    Reply lead() {
        const std::vector<int> turns = turns_to_archive();
        return turns.empty() ? brief() : archive(turns);
    }

    // The instructions are the next step of the script, with its objective.
    Reply brief() {
        std::size_t at = progress_.step;
        if (progress_.stage == Progress::Stage::acted && at < script_.steps.size() &&
            script_.steps[at].action == Action::report)
            ++at; // the report was the last step
        const std::string objective = objective_at(at);
        while (at < script_.steps.size() && script_.steps[at].action == Action::objective) ++at;
        std::string next = objective.empty() ? "" : fmt::format("Objective: {}. ", objective);
        next += at < script_.steps.size() ? fmt::format("Next: {}.", describe(script_.steps[at]))
                                          : std::string("All steps were executed.");
        Intent intent;
        intent.text = next;
        intent.reason = fmt::format("{} This is the next step of the script that this stand-in "
                                    "follows, one step at a time.",
                                    next);
        return {next, tools_.call(Role::brief, intent)};
    }

    Reply archive(const std::vector<int>& turns) {
        Intent intent;
        intent.turns = turns;
        intent.text = fmt::format("Turns {} to {} carried out steps of the script.", turns.front(),
                                  turns.back());
        intent.reason = "Nothing of note.";
        return {"Memory is full: I archive finished turns.", tools_.call(Role::archive, intent)};
    }

    // The turns that the request lists, except the last two, if it says that memory is full.
    std::vector<int> turns_to_archive() const {
        if (!tools_.has(Role::archive) ||
            request_.text.find("\nMEMORY IS FULL\n") == std::string::npos)
            return {};
        constexpr std::string_view mark = "\n- turn ";
        std::vector<int> turns;
        for (std::size_t at = request_.text.find(mark); at != std::string::npos;
             at = request_.text.find(mark, at + 1)) {
            const char* number = request_.text.data() + at + mark.size();
            int turn = 0;
            if (std::from_chars(number, request_.text.data() + request_.text.size(), turn).ec ==
                std::errc())
                turns.push_back(turn);
        }
        turns.resize(turns.size() - std::min<std::size_t>(turns.size(), 2));
        return turns;
    }

    std::string objective_in_words() const {
        const std::string objective = objective_at(progress_.step);
        return objective.empty() ? "the task" : objective;
    }

    // The objective of the step, or an empty text.
    std::string objective_at(std::size_t at) const {
        for (std::size_t i = std::min(at + 1, script_.steps.size()); i-- > 0;)
            if (script_.steps[i].action == Action::objective) return script_.steps[i].text;
        return {};
    }

    Reply acted(const Step& step, std::optional<ToolCall> call) {
        if (!call) return cannot_express(step);
        progress_.stage = Progress::Stage::acted;
        progress_.looks = 0;
        ++progress_.times;
        return {step.say.empty() ? fmt::format("I {}.", describe(step)) : step.say,
                std::move(call)};
    }

    Reply cannot_express(const Step& step) const {
        return {fmt::format("No offered tool can {}.", describe(step)), {}};
    }

    Reply look_for(const std::string& phrase) { return look_for_target(Target{.text = phrase}); }

    Reply look_for_target(const Target& target) {
        const std::string wanted = stand_in::describe(target);
        if (may_look_again())
            return look_again(fmt::format("I do not see {} on the screen", wanted));
        return {fmt::format("I cannot see {} on the screen. {}", wanted, what_i_see()), {}};
    }

    bool may_look_again() const {
        return (tools_.has(Role::observe) || tools_.has(Role::report)) &&
               progress_.looks < script_.patience;
    }

    Reply look_again(const std::string& reason) {
        Intent intent;
        intent.reason = fmt::format(
            "{}: a new screenshot will show whether it has changed in the meantime.", reason);
        // An agent that gets a screenshot with each turn has no tool to take one; a progress report
        // has the same effect.
        intent.objective = objective_in_words();
        intent.status = "IN_PROGRESS";
        intent.evidence = what_i_see();
        const Role role = tools_.has(Role::observe) ? Role::observe : Role::report;
        auto call = may_look_again() ? tools_.call(role, intent) : std::nullopt;
        if (!call) return {fmt::format("{}, but I get no new screenshot.", reason), {}};
        ++progress_.looks;
        return {fmt::format("{}; I look again.", reason), std::move(call)};
    }

    Intent intent_of(const Step& step) const {
        Intent intent;
        const bool is_aimed = is_click(step) || step.action == Action::drag;
        intent.label = is_aimed ? stand_in::describe(step.target) : step.text;
        if (is_aimed && !step.target.text.empty()) intent.label = step.target.text;
        if (!is_aimed) intent.text = step.text;
        intent.reason = fmt::format("Step {} of the script is to {}, and the screen shows what it "
                                    "needs.",
                                    progress_.step + 1, describe(step));
        return intent;
    }

    // A screenshot from before the last action is used only if there is no tool to take a new one.
    bool can_see() const {
        return screen_ && (request_.image_is_new || !tools_.has(Role::observe));
    }

    // An old screenshot has the same size as a new one.
    bool must_measure(const Step& step) const {
        return !screen_ && step.action == Action::scroll && tools_.takes_position(Role::scroll) &&
               coordinates_.convention.needs_image();
    }

    Size screen_size() const {
        return screen_ ? Size{screen_->width, screen_->height} : size_of_an_unseen_screen;
    }

    Area area_of(const Box& box) {
        return stated(box, screen_size(), coordinates_, progress_.positions++);
    }

    std::string what_i_see() const {
        return screen_ ? fmt::format("I see: {}.", first_words(*screen_))
                       : std::string("I received no screenshot.");
    }

    void go_on() {
        ++progress_.step;
        progress_.stage = Progress::Stage::ready;
        progress_.looks = 0;
        progress_.repeats = 0;
        progress_.times = 0;
        progress_.lacks_effect = false;
    }

    const Step& current() const { return script_.steps[progress_.step]; }

    std::string note_on(const Reply& reply) const {
        const std::string step = progress_.step < script_.steps.size()
                                     ? fmt::format("step {} of {} ({})", progress_.step + 1,
                                                   script_.steps.size(), describe(current()))
                                     : std::string("after the last step");
        const std::string seen = screen_ ? fmt::format("{} text segments", screen_->segments.size())
                                         : std::string("no screenshot");
        const std::string call =
            reply.call ? fmt::format(" -> {}{}", reply.call->name, json_text(reply.call->arguments))
                       : std::string();
        return on_one_line(fmt::format("{}; {}; {}{}", step, seen, reply.content, call));
    }

    const Script& script_;
    const ChatRequest& request_;
    const std::optional<Screen>& screen_;
    const Coordinates& coordinates_;
    const bool is_visual_;
    const ToolRoles tools_;
    const std::string failure_; ///< of the last call
    Progress progress_;
};

} // namespace

Turn play(const Script& script, const Progress& progress, const ChatRequest& request,
          const std::optional<Screen>& screen, const Coordinates& coordinates) {
    return Round(script, progress, request, screen, coordinates).answer();
}

} // namespace stand_in
