// Any file can be read as the recording of a run: it is refused with Error{bad_run}, or each of its
// values has the form of its kind, and its frames decode or are refused with std::exception.
#include "eyehand/agent/error.hpp"
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    try {
        for (const RecordedPart& part : read_recording(in)) {
            decode(part);
            for (const RecordedCommand& command : part.commands)
                for (const auto& [kind, answers] : command.answers)
                    if (answers.empty()) std::abort(); // the last one is given back again
        }
    } catch (const Error& error) {
        if (error.code() != errc::bad_run) std::abort();
    }
    return 0;
}
