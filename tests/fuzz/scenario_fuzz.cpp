// Any scenario file gives a scenario or Error{bad_scenario}. A scenario can be read from the output
// of `scenario show`.
#include "eyehand/agent/error.hpp"
#include "eyehand/session/scenario.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    session::Scenario scenario;
    try {
        scenario = session::parse_scenario(text, "fuzz");
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_scenario) std::abort();
        return 0;
    }
    const std::string shown = session::to_json(scenario);
    if (session::to_json(session::parse_scenario(shown, "again")) != shown) std::abort();
    return 0;
}
