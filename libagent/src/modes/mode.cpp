#include "eyehand/agent/mode.hpp"

#include "eyehand/agent/journal.hpp"

namespace eyehand::agent {

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
    case Outcome::completed:
        return "completed";
    case Outcome::failed:
        return "failed";
    case Outcome::steps_used_up:
        return "steps_used_up";
    case Outcome::endpoint_failed:
        return "endpoint_failed";
    case Outcome::desktop_failed:
        return "desktop_failed";
    case Outcome::refused:
        return "refused";
    case Outcome::cancelled:
        return "cancelled";
    }
    return "failed";
}

std::string_view to_string(ZoomUse use) {
    switch (use) {
    case ZoomUse::positions:
        return "positions";
    case ZoomUse::look:
        return "look";
    case ZoomUse::refine:
        return "refine";
    }
    return "look";
}

Outcome outcome_of(const Stopped& fact) noexcept {
    return fact.at_limit ? Outcome::steps_used_up : Outcome::cancelled;
}

namespace {

/// Turn and phase follow from other events; a change of role changes the phase.
bool is_same(const ModeState& a, const ModeState& b) {
    return a.role == b.role && a.plan == b.plan && a.brief == b.brief &&
           a.active_actions == b.active_actions && a.archived_actions == b.archived_actions;
}

} // namespace

Finish drive(Mode& mode, Journal& journal, World& world) {
    ModeState known =
        mode.state(); // at the beginning of a run, front ends know it from the profile
    for (const Fact& fact : journal.recovered()) mode.apply(fact);
    journal.release_recovered();
    (void)mode.take_notes(); // they are in the journal already
    bool told_to_stop = false;
    const auto record_state = [&] {
        ModeState state = mode.state();
        if (is_same(state, known)) return;
        known = state;
        state.reply.reset(); // the reply is in a fact
        const int turn = state.turn;
        journal.append(Payload(StateChanged{std::move(state)}), turn);
    };
    const auto tell = [&](const Fact& fact) {
        told_to_stop = told_to_stop || std::holds_alternative<Stopped>(fact);
        journal.append(fact, mode.state().turn);
        mode.apply(fact);
        for (Noted& noted : mode.take_notes())
            journal.append(Payload(std::move(noted)), mode.state().turn);
        record_state();
    };
    record_state(); // an interrupted run may lack its latest state
    while (true) {
        world.on_state(mode.state());
        while (!told_to_stop) {
            const auto news =
                world.news(mode.finished() ? World::Next::finish : World::Next::command);
            if (!news) break;
            tell(*news);
            world.on_state(mode.state());
        }
        const Command command = mode.next();
        journal.append(command, mode.state().turn); // before it is executed
        if (const auto* finish = std::get_if<Finish>(&command)) return *finish;
        tell(world.execute(command));
    }
}

} // namespace eyehand::agent
