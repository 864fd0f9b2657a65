// Any file of rules gives rules that judge every action, or Error{bad_guard} that names the file. No
// rule opens the agent's own windows.
#include "eyehand/agent/guard.hpp"
#include "guard/mentions.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        agent::Guard guard;
        guard.add(agent::parse_guard_rules(text, "fuzz.json"), agent::RuleOrigin::user);
        agent::GuardedAction action;
        action.tool = "type";
        action.label = "Delete";
        action.effects.emplace_back().kind = agent::EffectKind::text;
        // Long patterns must not take forever.
        action.effects.back().text = text.substr(0, 1000);
        (void)guard.judge(action, {}); // the window is unknown
        action.effects.back().window_known = true;
        action.effects.back().window.emplace().kind = agent::WindowKind::own;
        if (guard.judge(action, {}).decision != agent::Decision::deny) std::abort();
        // The form of a path does not change again.
        for (const std::string& path : agent::paths_in(text))
            if (agent::path_form(path) != path) std::abort();
        (void)agent::hosts_in(text);
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_guard) std::abort();
        if (std::string(error.what()).find("fuzz.json") == std::string::npos) std::abort();
    }
    return 0;
}
