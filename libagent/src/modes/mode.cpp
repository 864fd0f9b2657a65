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

Finish drive(Mode& mode, Journal& journal, World& world) {
    for (const Fact& fact : journal.recovered()) mode.apply(fact);
    (void)mode.take_notes(); // they are in the journal already
    bool told_to_stop = false;
    const auto tell = [&](const Fact& fact) {
        told_to_stop = told_to_stop || std::holds_alternative<Stopped>(fact);
        journal.append(fact, mode.state().turn);
        mode.apply(fact);
        for (Noted& noted : mode.take_notes())
            journal.append(Payload(std::move(noted)), mode.state().turn);
    };
    while (true) {
        world.on_state(mode.state());
        while (!told_to_stop) {
            const auto news = world.news(mode.next());
            if (!news) break;
            tell(*news);
            world.on_state(mode.state());
        }
        const Command command = mode.next();
        journal.append(command, mode.state().turn); // before it happens
        if (const auto* finish = std::get_if<Finish>(&command)) return *finish;
        tell(world.execute(command));
    }
}

} // namespace eyehand::agent
