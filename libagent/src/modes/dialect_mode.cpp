#include "modes/dialect_mode.hpp"

#include "base/text.hpp"
#include "coordinates/numbers_of.hpp"
#include "dialects/grammars.hpp"
#include "eyehand/agent/transcript.hpp"
#include "modes/reminder_of_text_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

constexpr std::string_view result_heading = "Result: ";
constexpr std::string_view reminder_of_quoted_action =
    "Your reply contains an action that was not carried out, because it is not at the end of the "
    "reply, in the prescribed form. If you want to act, end your reply with the action. If you "
    "only quoted it, give your answer without the quotation.";
constexpr std::string_view end_refused =
    "The end of the task was not accepted: first look at the effect of the other actions in the "
    "same reply.";

bool ends_task(const StatedAction& action) {
    return action.kind == Kind::finish || action.kind == Kind::ask_user;
}

} // namespace

DialectMode::DialectMode(std::unique_ptr<Mode> inner, const Profile& profile,
                         const ToolsByRole& tools)
    : inner_(std::move(inner)), dialect_(profile.dialect), several_(several_calls_of(profile)),
      numbers_(numbers_of(profile)) {
    for (const RolePlan& plan : mode_of(profile).roles(profile))
        if (const auto of_role = tools.find(plan.name); of_role != tools.end())
            roles_.emplace(plan.name, role_of(plan, of_role->second));
}

DialectMode::Role DialectMode::role_of(const RolePlan& plan, const Toolbox& tools) const {
    Role role;
    role.tools = tools;
    role.offer.actions = actions_of(tools);
    role.offer.several = several_ == SeveralCalls::all;
    role.offer.can_complete = tools.name_of("complete").empty();
    for (const ToolPresentation& presentation : plan.tools)
        role.offer.replaced.emplace_back(
            presentation.name.empty() ? presentation.tool : presentation.name, presentation.tool);
    for (vlm::ToolSpec& spec : role.tools.specs()) {
        const std::string id = tools.id_of(spec.name);
        if (spec.name == invalid_action_tool || is_action_tool(id)) continue;
        if (id == zoom_tool && states_zoom(dialect_) && role.offer.actions.any()) continue;
        const bool as_text = states_text(dialect_) && can_be_text(spec);
        (as_text ? role.offer.functions : role.offer.tools).push_back(std::move(spec));
    }
    role.section = prompt_section(dialect_, role.offer, numbers_);
    if (role.offer.actions.any() && !states_text(dialect_))
        role.specs.push_back(function_spec(dialect_, role.offer, numbers_));
    role.specs.insert(role.specs.end(), role.offer.tools.begin(), role.offer.tools.end());
    return role;
}

// ---- requests -----------------------------------------------------------------------------------

Command DialectMode::next() const {
    Command command = inner_->next();
    if (auto* look = std::get_if<Observe>(&command)) {
        if (look->zoom && look->zoom->use == ZoomUse::positions)
            look->zoom->use = zoom_use(dialect_);
    } else if (auto* ask = std::get_if<Ask>(&command)) {
        const auto role = roles_.find(ask->role);
        write_messages(ask->request.messages, role == roles_.end() ? nullptr : &role->second);
        if (role == roles_.end()) return command;
        // A mode may offer only some of its tools.
        const std::vector<vlm::ToolSpec> inner = std::exchange(ask->request.tools, {});
        for (const vlm::ToolSpec& spec : role->second.specs) {
            const bool offered =
                spec.name == function_of(dialect_) ||
                std::any_of(inner.begin(), inner.end(),
                            [&](const vlm::ToolSpec& tool) { return tool.name == spec.name; });
            if (offered) ask->request.tools.push_back(spec);
        }
        if (ask->request.tools.empty()) ask->request.tool_choice = vlm::ToolChoice::automatic;
        if (states_text(dialect_)) {
            ask->request.text_calls = vlm::TextCalls::never; // this class reads the text
            ask->calls_in_text = !role->second.section.empty();
        }
    } else if (auto* finish = std::get_if<Finish>(&command);
               finish != nullptr && finish->outcome == Outcome::completed && !gave_up_.empty()) {
        *finish = {Outcome::failed, gave_up_};
    }
    return command;
}

void DialectMode::write_messages(std::vector<vlm::Message>& messages, const Role* role) const {
    std::vector<vlm::Message> written;
    written.reserve(messages.size());
    bool has_section = role == nullptr || role->section.empty();
    for (vlm::Message& message : messages) {
        if (message.role == vlm::Role::tool) {
            write_result(message, written);
            continue;
        }
        if (states_text(dialect_) && message.role == vlm::Role::user &&
            message.text() == reminder_of_text_call(vlm::IgnoredCall::quoted))
            message = vlm::Message::user(std::string(reminder_of_quoted_action));
        if (message.role == vlm::Role::system && !std::exchange(has_section, true))
            message.parts.emplace_back("\n" + role->section);
        write_reply(message);
        written.push_back(std::move(message));
    }
    messages = std::move(written);
}

/// Restores the calls that the model wrote.
void DialectMode::write_reply(vlm::Message& message) const {
    std::vector<vlm::ToolCall> calls;
    for (vlm::ToolCall& call : message.tool_calls) {
        const auto original = originals_.find(call.id);
        if (original == originals_.end()) {
            calls.push_back(std::move(call));
        } else if (const auto& own = original->second.call) {
            if (calls.empty() || calls.back().id != own->id) calls.push_back(*own);
        } else if (const std::string& end = original->second.statement; !end.empty()) {
            if (message.parts.empty()) message.parts.emplace_back(std::string());
            if (auto* text = std::get_if<std::string>(&message.parts.back())) *text += end;
        }
    }
    message.tool_calls = std::move(calls);
}

/// Results of text become text; those of several actions in one call become one.
void DialectMode::write_result(const vlm::Message& result,
                               std::vector<vlm::Message>& written) const {
    const auto original = originals_.find(result.tool_call_id);
    vlm::Message message = result;
    if (original != originals_.end()) {
        if (original->second.call) {
            message.tool_call_id = original->second.call->id;
            if (approved_.contains(result.tool_call_id))
                message.acknowledged_checks = original->second.call->safety_checks;
        } else {
            message = vlm::Message::user(std::string(result_heading) + result.text());
        }
    }
    const bool joins =
        original != originals_.end() && !written.empty() && written.back().role == message.role &&
        written.back().tool_call_id == message.tool_call_id &&
        (message.role == vlm::Role::tool || written.back().text().starts_with(result_heading));
    if (!joins) {
        written.push_back(std::move(message));
        return;
    }
    written.back().parts.emplace_back(message.text());
    if (!message.acknowledged_checks.empty())
        written.back().acknowledged_checks = std::move(message.acknowledged_checks);
}

// ---- replies ------------------------------------------------------------------------------------

void DialectMode::apply(const Fact& fact) {
    const auto* replied = std::get_if<Replied>(&fact);
    if (const auto* invoked = std::get_if<Invoked>(&fact)) {
        const auto target = targets_.find(invoked->call_id);
        if (invoked->ok && target != targets_.end()) pointer_ = target->second;
        if (!invoked->approved_checks.empty()) approved_.insert(invoked->call_id);
    }
    // Others have moved the pointer.
    if (std::holds_alternative<Recovered>(fact)) pointer_.reset();
    if (const auto* seen = std::get_if<Observed>(&fact); seen != nullptr && !seen->refines()) {
        // The model's numbers now have another meaning.
        if (reference_ && *reference_ != seen->reference()) pointer_.reset();
        reference_ = seen->reference();
    }
    if (replied == nullptr) {
        inner_->apply(fact);
    } else {
        const Command command = inner_->next();
        const auto* ask = std::get_if<Ask>(&command);
        const auto role = ask == nullptr ? roles_.end() : roles_.find(ask->role);
        const bool refines = ask != nullptr && ask->refines;
        if (!refines) gave_up_.clear();
        if (role == roles_.end())
            inner_->apply(fact);
        else
            inner_->apply(refines ? read_aside(*replied, role->second)
                                  : read(*replied, role->second));
    }
    pass_on_notes();
}

/// The calls of the turn's own reply follow: its positions stay.
Replied DialectMode::read_aside(const Replied& fact, const Role& role) {
    const auto targets = targets_;
    const auto planned = planned_;
    const std::size_t statements = statements_;
    const std::string gave_up = gave_up_;
    Replied result = read(fact, role);
    targets_ = targets;
    planned_ = planned;
    statements_ = statements;
    gave_up_ = gave_up;
    return result;
}

Replied DialectMode::read(const Replied& fact, const Role& role) {
    Replied read = fact;
    ++replies_;
    statements_ = 0;
    targets_.clear();
    planned_ = pointer_;
    if (!states_text(dialect_))
        read_calls(read.reply, role);
    else if (role.section.empty())
        return read;
    else if (read.reply.tool_calls.empty())
        read_text(read.reply, role);
    else
        refuse_text_beside_calls(read.reply, role);
    if (several_ == SeveralCalls::none && statements_ > 1) refuse_several(read.reply);
    return read;
}

/// A reply that calls a tool natively should not state actions, too.
void DialectMode::refuse_text_beside_calls(vlm::ChatReply& reply, const Role& role) {
    if (!role.offer.actions.any() || read_text_actions(dialect_, reply.text).actions.empty())
        return;
    note("refused", "an action in the text was not carried out, because the reply calls a tool");
    add_call(
        reply,
        invalid_action("The action in the text was not carried out, because the same reply calls "
                       "a tool."),
        nullptr);
}

void DialectMode::refuse_several(vlm::ChatReply& reply) {
    for (vlm::ToolCall& call : reply.tool_calls) {
        if (!originals_.contains(call.id)) continue;
        const vlm::ToolCall refused = invalid_action(fmt::format(
            "Only one action per reply: none of these {} was carried out.", statements_));
        call.name = refused.name;
        call.arguments_json = refused.arguments_json;
        call.safety_checks.clear();
    }
}

void DialectMode::read_text(vlm::ChatReply& reply, const Role& role) {
    reply.ignored_call = vlm::IgnoredCall::none;
    // An action that was cut off may look complete.
    if (reply.finish == vlm::FinishReason::length || reply.finish == vlm::FinishReason::error ||
        reply.finish == vlm::FinishReason::content_filter) {
        note("refused", "the reply was cut off: actions in it are not carried out");
        return;
    }
    const StatedActions stated = read_text_actions(dialect_, reply.text);
    if (stated.problem.empty() && stated.actions.empty()) {
        if (stated.quoted) reply.ignored_call = vlm::IgnoredCall::quoted;
        return;
    }
    carry_out(reply, stated, role, nullptr, stated.actions.size() == 1);
    if (reply.tool_calls.empty()) return;
    // The inner mode receives what the model said, without its actions.
    const std::size_t start = reply.text.rfind(stated.statement);
    if (start == std::string::npos) return;
    originals_[reply.tool_calls.front().id].statement = reply.text.substr(start);
    reply.text.resize(start);
}

void DialectMode::read_calls(vlm::ChatReply& reply, const Role& role) {
    const std::vector<vlm::ToolCall> calls = std::exchange(reply.tool_calls, {});
    for (const vlm::ToolCall& call : calls) {
        const bool is_tool =
            std::any_of(role.offer.tools.begin(), role.offer.tools.end(),
                        [&](const vlm::ToolSpec& tool) { return tool.name == call.name; });
        const bool by_name = !is_tool && is_action_name(dialect_, call.name);
        if ((call.name != function_of(dialect_) && !by_name) || !role.offer.actions.any()) {
            reply.tool_calls.push_back(call);
            continue;
        }
        StatedActions stated = combined(read_call_actions(
            dialect_, call.arguments_json, by_name ? call.name : std::string_view()));
        stated.thought = strip_think(reply.text);
        carry_out(reply, stated, role, &call, calls.size() == 1 && stated.actions.size() == 1);
    }
}

void DialectMode::carry_out(vlm::ChatReply& reply, const StatedActions& stated, const Role& role,
                            const vlm::ToolCall* original, bool alone) {
    if (!stated.problem.empty()) {
        ++statements_;
        note("refused", fmt::format("an action was not carried out: {}", stated.problem));
        add_call(reply,
                 invalid_action(fmt::format("No action was carried out: {}.", stated.problem)),
                 original);
        return;
    }
    for (StatedAction action : stated.actions) {
        if (!action.continues) ++statements_;
        if (several_ == SeveralCalls::first && statements_ > 1) {
            add_call(reply,
                     invalid_action("Only one action per reply: this one was not carried out."),
                     original);
        } else if (ends_task(action) && alone) {
            end_task(reply, action, stated, role, original);
        } else if (ends_task(action)) {
            note("refused", "the end of the task was not accepted before the effect of the other "
                            "actions in the same reply was seen");
            add_call(reply, invalid_action(end_refused), original);
        } else {
            // A drag without a start begins where an earlier action has left the pointer.
            if (action.kind == Kind::drag && !action.from) action.from = planned_;
            const bool moves = action.at && action.kind != Kind::zoom;
            if (moves) planned_ = action.at;
            add_call(reply, call_of(action, {role.tools, &numbers_, stated.thought}), original);
            if (moves) targets_[reply.tool_calls.back().id] = *action.at;
        }
    }
}

void DialectMode::end_task(vlm::ChatReply& reply, const StatedAction& end,
                           const StatedActions& stated, const Role& role,
                           const vlm::ToolCall* original) {
    const std::string& words = end.text.empty() ? stated.thought : end.text;
    const bool done = end.kind == Kind::finish && end.success;
    vlm::ToolCall call;
    if (done)
        call = call_with(role.tools, "complete", {{"evidence", words}}, words);
    else
        call = call_with(role.tools, "report",
                         {{"objective", "the task"}, {"status", "BLOCKED"}, {"evidence", words}},
                         words);
    if (!call.name.empty()) {
        add_call(reply, std::move(call), original);
        return;
    }
    reply.text =
        words.empty() ? std::string(done ? "The task is done." : "The task is not done.") : words;
    if (done) return;
    gave_up_ = end.kind == Kind::ask_user
                   ? fmt::format("the model cannot go on without the user: {}", reply.text)
                   : fmt::format("the model says that the task cannot be done: {}", reply.text);
}

void DialectMode::add_call(vlm::ChatReply& reply, vlm::ToolCall call,
                           const vlm::ToolCall* original) {
    call.id = fmt::format("action_{}_{}", replies_, reply.tool_calls.size() + 1);
    if (original != nullptr) call.provenance = original->provenance;
    // A refusal needs no approval.
    if (original != nullptr && call.name != invalid_action_tool)
        call.safety_checks = original->safety_checks;
    originals_[call.id].call =
        original == nullptr ? std::nullopt : std::optional<vlm::ToolCall>(*original);
    reply.tool_calls.push_back(std::move(call));
}

void DialectMode::revise(const Observed& seen) {
    inner_->revise(seen);
    pass_on_notes();
}

void DialectMode::pass_on_notes() {
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

} // namespace eyehand::agent
