// The settings that the agent receives.
#include "configuration.hpp"
#include "settings.hpp"

#include "catch.hpp"

using namespace eyehand;
using std::chrono::milliseconds;

namespace {

agent::AgentOptions with(const char* setting, const char* value) {
    session::Config config = session::default_config(cli::setting_registry());
    config.add(session::config_from_flag(setting, "--test", value, cli::setting_registry()));
    return cli::agent_options(config);
}

} // namespace

TEST_CASE("the waits before a screenshot are settings") {
    CHECK(with("reaction_timeout", "0.25").reaction.reaction_timeout == milliseconds(250));
    CHECK(with("busy_timeout", "7.5").reaction.busy_timeout == milliseconds(7500));
    CHECK(with("settle_minimum", "0.1").settle.minimum == milliseconds(100));
    CHECK(with("settle_quiet", "0.2").settle.quiet == milliseconds(200));
    CHECK(with("settle_timeout", "3").settle.timeout == milliseconds(3000));
    const agent::AgentOptions defaults = with("busy_timeout", "5");
    CHECK(defaults.reaction.reaction_timeout == winio::ReactionOptions().reaction_timeout);
}

TEST_CASE("what happens when the screen changes, and how it is captured, are settings") {
    CHECK(with("watch", "off").watch == agent::Watch::off);
    CHECK(with("watch", "check").watch == agent::Watch::check);
    CHECK(with("watch", "resend").watch == agent::Watch::resend);
    CHECK(with("layered_windows", "true").capture.layered_windows);
    CHECK_FALSE(with("layered_windows", "false").capture.layered_windows);
}
