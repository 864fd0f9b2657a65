// Any file gives a calibration that can be used and written again, or Error{bad_config} that names it; and
// the page shows any file as texts, numbers and lists of limited length.
#include "calibration_json.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/session/calibration.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const boost::json::value shown = page::calibration_json(text, agent::Profile());
    if (shown.is_object()) {
        for (const char* list : {"rates", "warnings", "alternatives"})
            if (shown.at(list).as_array().size() > 100) std::abort();
        for (const char* object : {"small", "early", "late", "used"})
            (void)shown.at(object).as_object();
        (void)shown.at("grounds").as_bool();
    } else if (!shown.is_null()) {
        std::abort();
    }
    session::Calibration calibration;
    try {
        calibration = session::calibration_from_json(text, "fuzz.json");
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_config) std::abort();
        if (std::string(error.what()).find("fuzz.json") == std::string::npos) std::abort();
        return 0;
    }
    if (!calibration.fit.correction.valid()) std::abort();
    const session::HitRate small = calibration.small_targets();
    const session::Interval range = session::wilson_interval(small.hits, small.total);
    if (!(range.low >= 0 && range.low <= range.high && range.high <= 1)) std::abort();
    (void)session::description(calibration.fit.form);
    (void)session::warnings(calibration);
    (void)session::alternatives(calibration.model, calibration.dialect);
    const std::string written = session::to_json(calibration);
    if (session::calibration_from_json(written, "written") != calibration) std::abort();
    return 0;
}
