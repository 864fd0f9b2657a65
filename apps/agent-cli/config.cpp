// agent-cli config
#include "commands.hpp"

#include "configuration.hpp"
#include "eyehand/agent/json_view.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

struct Row {
    std::string name;
    std::optional<std::string> value;
    std::string source;
    /// Of an untrusted file; nullptr: the file does not contain the setting.
    const session::ConfigEntry* ignored = nullptr;
};

const session::ConfigEntry* ignored_entry(const session::Config& config, std::string_view name) {
    for (const session::ConfigEntry& entry : config.ignored())
        if (entry.setting->name == name) return &entry;
    return nullptr;
}

/// All settings, also those without a value.
std::vector<Row> rows_of(const session::Config& config) {
    const session::ImageSizeSetting image = session::image_size_setting(config);
    std::vector<Row> rows;
    for (const agent::SettingSpec& setting : config.settings().all()) {
        Row row{.name = std::string(setting.name),
                .value = {},
                .source = {},
                .ignored = ignored_entry(config, setting.name)};
        if (const session::ConfigEntry* entry = config.find(setting.name)) {
            row.value = shown_value(*entry);
            row.source = entry->source;
        }
        if (setting.name == "image") {
            row.value = winio::to_string(image.size);
            row.source = image.source;
        }
        if (setting.kind == agent::SettingKind::secret && !row.value) row.value = "not set";
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string as_json(const std::vector<Row>& rows) {
    std::string all = "{";
    for (const Row& row : rows) {
        all += fmt::format("{}\n  {}: {{\"value\": {}, \"source\": {}", all == "{" ? "" : ",",
                           agent::json_quote(row.name),
                           row.value ? agent::json_quote(*row.value) : "null",
                           row.source.empty() ? "null" : agent::json_quote(row.source));
        if (row.ignored != nullptr)
            all += fmt::format(", \"ignored\": {{\"value\": {}, \"source\": {}}}",
                               agent::json_quote(shown_value(*row.ignored)),
                               agent::json_quote(row.ignored->source));
        all += "}";
    }
    return all + "\n}\n";
}

std::string as_table(const std::vector<Row>& rows) {
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, row.value.value_or("").size());
    width = std::min(width, std::size_t{44}); // limits the effect of a long value
    std::string all;
    for (const Row& row : rows)
        all += fmt::format(
            "{:<22} {:<{}}  {}{}\n", row.name, row.value.value_or("-"), width,
            row.source.empty() ? "-" : row.source,
            row.ignored == nullptr ? "" : "; ignored for lack of trust: " + row.ignored->source);
    return printable(all);
}

} // namespace

ExitCode print_config(const RunFlags& flags) {
    session::Config config = configuration(flags);
    (void)add_profile(config);
    (void)session::area_setting(config); // reports contradictions here, too
    const std::vector<Row> rows = rows_of(config);
    print_to(stdout, flags.json ? as_json(rows) : as_table(rows));
    return ExitCode::completed;
}

} // namespace eyehand::cli
