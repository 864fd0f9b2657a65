// run.json: the settings of a run and its outcome.
#include "eyehand/agent/run.hpp"

#include "eyehand/version.hpp"

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/base/folder_file.hpp"
#include "record/run_file.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <sstream>

namespace eyehand::agent {
namespace {

constexpr const char* summary_name = "run.json";
constexpr int format = 1;

Error corrupt(const std::string& where, std::string_view reason) {
    return {errc::bad_run, fmt::format("{}: {}", where, reason)};
}

StoredRun parse_summary(std::string_view bytes, const std::string& where,
                        const ModeRegistry& modes) {
    std::string reason;
    const auto value = parse_json(bytes, &reason);
    if (!value) throw corrupt(where, reason);
    try {
        const auto text = [](const json::value& member) {
            const json::string& it = member.as_string();
            return std::string(it.data(), it.size());
        };
        const json::object& all = value->as_object();
        StoredRun run;
        run.version = text(all.at("versions").as_object().at("eyehand"));
        run.summary.task = text(all.at("task"));
        run.summary.profile = profile_from_json(to_text(all.at("profile")), where, modes);
        for (const auto& setting : all.at("settings").as_object()) {
            const json::object& it = setting.value().as_object();
            run.summary.settings.push_back(
                {std::string(setting.key()), text(it.at("value")), text(it.at("source"))});
        }
        for (const json::value& tool : all.at("tools").as_array()) {
            const json::object& it = tool.as_object();
            run.summary.tools.push_back(
                {text(it.at("name")), text(it.at("description")), to_text(it.at("parameters"))});
        }
        if (all.at("outcome").is_string()) run.outcome = text(all.at("outcome"));
        return run;
    } catch (const Error&) {
        throw;
    } catch (const std::exception& problem) { // a member is missing or of the wrong type
        throw corrupt(where, problem.what());
    }
}

} // namespace

std::string_view version() { return EYEHAND_VERSION_STRING; }

StoredRun load_run(const std::filesystem::path& directory, const ModeRegistry& modes) {
    const std::filesystem::path file = directory / summary_name;
    const auto bytes = base::read_in_folder(directory, summary_name, max_summary_bytes);
    std::error_code error;
    if (!bytes && std::filesystem::exists(std::filesystem::symlink_status(file, error)) &&
        !base::size_in_folder(directory, summary_name, max_summary_bytes))
        throw corrupt(text_of(file), "is not a regular file, or is longer than 64 MB");
    if (!bytes) throw corrupt(text_of(file), "cannot be read: is this a run directory?");
    return parse_summary(*bytes, text_of(file), modes);
}

StoredRun load_run(const RunStore& store, const ModeRegistry& modes) {
    const auto in = store.open_read(summary_name);
    if (!in) throw corrupt(summary_name, "cannot be read: does the store contain a run?");
    std::ostringstream bytes;
    bytes << in->rdbuf();
    return parse_summary(bytes.view(), summary_name, modes);
}

void write_summary(RunStore& store, const RunSummary& summary, const RunFinished* finished) {
    json::object all{{"format", format},
                     {"versions", json::object{{"eyehand", version()}}},
                     {"task", to_valid_utf8(summary.task)}};
    json::object in_force;
    for (const Setting& setting : summary.settings) {
        in_force[setting.name] =
            json::object{{"value", to_valid_utf8(setting.value)}, {"source", setting.source}};
    }
    all["settings"] = std::move(in_force);
    all["profile"] = json::parse(to_json(summary.profile));
    json::array tools;
    for (const vlm::ToolSpec& tool : summary.tools) {
        tools.emplace_back(json::object{{"name", tool.name},
                                        {"description", tool.description},
                                        {"parameters", json::parse(tool.parameters_json)}});
    }
    all["tools"] = std::move(tools);
    if (finished != nullptr) {
        all["outcome"] = to_string(finished->outcome);
        all["why"] = to_valid_utf8(finished->reason);
        all["turns"] = finished->turns;
        all["elapsed_ms"] = finished->elapsed.count();
    } else {
        all["outcome"] = nullptr;
    }
    store.replace(summary_name, to_text(all) + "\n");
}

} // namespace eyehand::agent
