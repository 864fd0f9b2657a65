// Any file can be read as the recording of a run: it is refused with Error{bad_run}, or each of its
// values has the form of its kind, its frames decode or are refused with std::exception, and its
// responses decode or are refused with vlm::Error.
#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/raw_response.hpp"
#include "replay/desktop_recording.hpp"

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

using namespace eyehand::agent;

namespace {

/// A frame of another size than its pixels would be read beyond its end.
void decode(const RecordedPart& part) {
    FrameDecoder frames;
    try {
        for (const json::object& record : part.frames) {
            const auto& frame = frames.decode(record);
            if (frame.pixels.empty()) std::abort();
        }
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): refused
    }
}

void decode_responses(const RecordedPart& part) {
    DesktopTape tape;
    eyehand::vlm::ChatRequest request;
    request.tools.push_back({"click", "", R"({"type":"object"})"});
    for (const RecordedCommand& command : part.commands) {
        const auto found = command.answers.find(answers::response.of);
        if (found == command.answers.end()) continue;
        for (const RecordedLine& line : found->second) {
            const json::value* value = line.record.if_contains("value");
            if (value == nullptr) continue; // the record of an error
            try {
                (void)eyehand::vlm::decode_response(
                    TapeValue<eyehand::vlm::RawResponse>::read(*value, tape), request);
            } catch (const eyehand::vlm::Error&) { // NOLINT(bugprone-empty-catch): refused
            }
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    try {
        for (const RecordedPart& part : read_recording(in)) {
            decode(part);
            decode_responses(part);
            for (const RecordedCommand& command : part.commands)
                for (const auto& [kind, answers] : command.answers)
                    if (answers.empty()) std::abort(); // the last one is given back again
        }
    } catch (const Error& error) {
        if (error.code() != errc::bad_run) std::abort();
    }
    return 0;
}
