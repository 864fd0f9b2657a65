// Any eyehand.json gives settings within their ranges, or Error{bad_config} that names the file. An
// untrusted one does not set what requires trust.
#include "eyehand/agent/error.hpp"
#include "eyehand/session/config.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        session::Config config = session::default_config();
        const auto entries = session::parse_config(text, "fuzz.json");
        config.add(entries);
        for (const session::ConfigEntry& entry : config.entries()) {
            if (entry.layer != session::ConfigLayer::file) continue;
            if (!entry.source.starts_with("fuzz.json:")) std::abort();
            if (const auto* number = std::get_if<double>(&entry.value))
                if (!(*number >= entry.setting->min && *number <= entry.setting->max)) std::abort();
        }
        session::Config untrusted = session::default_config();
        untrusted.add_untrusted(entries);
        for (const session::ConfigEntry& entry : untrusted.entries())
            if (entry.layer == session::ConfigLayer::file &&
                entry.setting->trust == agent::SettingTrust::required)
                std::abort();
        (void)session::area_setting(config);
        for (const winio::Rect& area : session::redaction_setting(config).areas)
            if (area.empty()) std::abort();
        (void)session::effective_settings(config);
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_config) std::abort();
    }
    return 0;
}
