// Any file is read as a cassette or causes CassetteError. A cassette reads the same after it is
// written, and the difference between two unequal requests has a bounded length.
#include "cassette_diff.hpp"
#include "cassette_turn.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace eyehand;

namespace {

std::string written(const vlm::cassette::Tape& tape) {
    std::string text = vlm::cassette::header_line();
    for (std::size_t i = 0; i < tape.turns.size(); ++i)
        text += vlm::cassette::turn_line(i + 1, tape.turns[i]);
    return text;
}

void compare_requests(const vlm::cassette::Tape& tape) {
    vlm::ChatRequest request;
    std::string previous;
    for (const vlm::cassette::Turn& turn : tape.turns) {
        vlm::cassette::restore(turn.request, request);
        const std::string sent = vlm::cassette::as_sent(request);
        const std::string difference = vlm::cassette::json_difference(previous, sent);
        if (difference.empty() != (previous == sent) || difference.size() > 100000) std::abort();
        previous = sent;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const vlm::cassette::Tape tape = vlm::cassette::read_tape(
            std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
        const std::string text = written(tape);
        if (written(vlm::cassette::read_tape(text, "fuzz")) != text) std::abort();
        compare_requests(tape);
    } catch (const vlm::CassetteError&) {
        return 0;
    }
    return 0;
}
