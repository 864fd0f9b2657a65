// Each line of any journal gives an event, and any sequence of events folds into turns within the
// limits. An event reads the same after a journal writes it.
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_view.hpp"
#include "record/journal_json.hpp"
#include "json/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace eyehand::agent;

namespace {

constexpr RunViewLimits limits{.turns = 5, .items_per_turn = 10, .text_bytes = 100};

void check_reading(const Event& event) {
    if (std::holds_alternative<UnknownEvent>(event.payload)) return;
    json::object entry{{"seq", event.seq}, {"type", type_name(event)}, {"turn", event.turn}};
    write_payload(event.payload, entry);
    const Event again = parse_event(to_text(entry));
    if (again.payload.index() != event.payload.index()) std::abort();
}

void fold(std::string_view text, const char* profile) {
    RunView run(load_profile(profile), limits);
    std::size_t lines = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const Event event = parse_event(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        check_reading(event);
        run.apply(event);
        if (++lines % 3 == 0) run = run.snapshot();
    }
    if (run.turn_count() > limits.turns) std::abort();
    for (std::size_t i = 0; i < run.turn_count(); ++i)
        if (run.turn(i).items.size() > limits.items_per_turn) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const char* profile : {"observer", "commander", "story"}) fold(text, profile);
    return 0;
}
