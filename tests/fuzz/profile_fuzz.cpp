// Any profile.json gives a profile or Error{bad_profile}. A profile can be read from the copy that
// a run stores.
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/profile.hpp"
#include "same_json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const agent::Profile profile = agent::parse_profile(
            {{"profile.json", text}, {"system.txt", "Use {{click}}."}, {"lead.txt", "Plan."}},
            "fuzz");
        const std::string kept = agent::to_json(profile);
        if (!fuzz::is_same_json(agent::to_json(agent::profile_from_json(kept, "fuzz")), kept))
            std::abort();
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_profile) std::abort();
    }
    return 0;
}
