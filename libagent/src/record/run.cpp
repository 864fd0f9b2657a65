#include "eyehand/agent/run.hpp"

#include "eyehand/version.hpp"

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "record/append_file.hpp"
#include "record/execution_log.hpp"
#include "record/run_file.hpp"
#include "json/json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <sstream>

namespace eyehand::agent {
namespace {

constexpr int format = 1;
constexpr std::string_view prefix = "run_";
// Long prompts and schemas repeat in every request; run.json has them whole.
constexpr std::size_t log_prompt_limit = 400;

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what,
                         std::string_view reason) {
    throw Error(errc::journal_failed, fmt::format("{} {}: {}", text_of(file), what, reason));
}

std::string timestamp() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
}

/// The highest number of a run in `parent`, or 0.
int highest_run(const std::filesystem::path& parent) {
    int highest = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = text_of(it->path().filename());
        if (!name.starts_with(prefix)) continue;
        int number = 0;
        const char* last = name.data() + name.size();
        const auto [stopped, bad] = std::from_chars(name.data() + prefix.size(), last, number);
        if (bad == std::errc{} && stopped == last) highest = std::max(highest, number);
    }
    return highest;
}

/// All of it or nothing: half a file is taken away again.
void write_file(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    const bool opened = out.is_open();
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (out) return;
    std::error_code ignored; // the writing is what went wrong
    if (opened) std::filesystem::remove(file, ignored);
    refuse(file, "cannot be written", "is the folder writable and the disk not full?");
}

void shorten_text(json::value& text) {
    const json::string& whole = text.as_string();
    if (whole.size() > log_prompt_limit) {
        text = fmt::format("{} [{} bytes in all]",
                           shorten({whole.data(), whole.size()}, log_prompt_limit), whole.size());
    }
}

/// A request for the log: prompts shortened, of each tool only the name.
std::string shortened_request(const std::string& body) {
    auto value = parse_json(body);
    if (!value || !value->is_object()) return body;
    json::object& request = value->as_object();
    if (json::value* messages = request.if_contains("messages"); messages && messages->is_array()) {
        for (json::value& message : messages->as_array()) {
            if (!message.is_object()) continue;
            json::value* content = message.as_object().if_contains("content");
            if (content != nullptr && content->is_string()) shorten_text(*content);
        }
    }
    if (json::value* tools = request.if_contains("tools"); tools && tools->is_array()) {
        for (json::value& tool : tools->as_array()) {
            const json::value* function =
                tool.is_object() ? tool.as_object().if_contains("function") : nullptr;
            if (function == nullptr || !function->is_object()) continue;
            const json::value* name = function->as_object().if_contains("name");
            if (name != nullptr) tool = json::value(*name);
        }
    }
    return to_text(*value);
}

} // namespace

std::string_view version() { return EYEHAND_VERSION_STRING; }

StoredRun load_run(const std::filesystem::path& directory, const ModeRegistry& modes) {
    const std::filesystem::path file = directory / "run.json";
    const auto corrupt = [&](std::string_view reason) {
        return Error(errc::bad_run, fmt::format("{}: {}", text_of(file), reason));
    };
    auto bytes = read_run_file(file, max_summary_bytes);
    std::error_code error;
    if (!bytes && std::filesystem::exists(file, error) && !run_file_size(file, max_summary_bytes))
        throw corrupt("is no file, or longer than 64 MB");
    if (!bytes) throw corrupt("cannot be read; is this a run directory?");
    std::string reason;
    const auto value = parse_json(*bytes, &reason);
    if (!value) throw corrupt(reason);
    try {
        const auto text = [](const json::value& member) {
            const json::string& it = member.as_string();
            return std::string(it.data(), it.size());
        };
        const json::object& all = value->as_object();
        StoredRun run;
        run.version = text(all.at("versions").as_object().at("eyehand"));
        run.summary.task = text(all.at("task"));
        run.summary.profile = profile_from_json(to_text(all.at("profile")), text_of(file), modes);
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
        throw corrupt(problem.what());
    }
}

RunDirectory::RunDirectory(std::filesystem::path path, ScreenshotNames names)
    : path_(std::move(path)), names_(std::move(names)) {}

RunDirectory RunDirectory::create(const std::filesystem::path& parent, ScreenshotNames names) {
    std::error_code error;
    std::filesystem::create_directories(parent, error);
    if (error) refuse(parent, "cannot be created", error.message());
    // Whoever creates the folder has the number; the others take the next one.
    for (int number = highest_run(parent) + 1;; ++number) {
        const std::filesystem::path path = parent / fmt::format("{}{:04}", prefix, number);
        if (std::filesystem::create_directory(path, error)) {
            std::filesystem::create_directory(path / "screenshots", error);
            if (error) refuse(path / "screenshots", "cannot be created", error.message());
            return {path, std::move(names)};
        }
        if (error) refuse(path, "cannot be created", error.message());
    }
}

RunDirectory RunDirectory::open(const std::filesystem::path& path, ScreenshotNames names) {
    if (!std::filesystem::is_directory(path / "screenshots"))
        refuse(path, "is no run directory", "it has no folder \"screenshots\"");
    return {path, std::move(names)};
}

void RunDirectory::write_summary(const RunSummary& summary, const RunFinished* finished) {
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
    const std::filesystem::path file = path_ / "run.json";
    const std::filesystem::path next = path_ / "run.json.new";
    write_file(next, to_text(all) + "\n");
    std::error_code error;
    std::filesystem::rename(next, file, error);
    if (error) refuse(file, "cannot be written", error.message());
}

std::string RunDirectory::screenshot_name(int number, int again, ScreenshotKind kind) const {
    const std::string more = again > 1 ? fmt::format("_{}", again) : "";
    const std::string turn = fmt::format("{}{:04}", names_.prefix, number + names_.offset);
    const bool raw = kind == ScreenshotKind::raw;
    switch (log_.layout) {
    case LogLayout::flat:
        return fmt::format("{}_{}{}.png", turn, raw ? "raw" : "annotated", more);
    case LogLayout::turn_dirs:
        return fmt::format("{}/screenshot_{}{}.png", turn, raw ? "raw" : "annotated", more);
    case LogLayout::screenshots:
        break;
    }
    return fmt::format("screenshots/{}{}{}.png", turn, raw ? "_raw" : "", more);
}

std::string RunDirectory::save_screenshot(int number, std::span<const std::uint8_t> png,
                                          ScreenshotKind kind) {
    // A turn that looks more than once overwrites nothing.
    int again = 1;
    while (std::filesystem::exists(path_ / path_of(screenshot_name(number, again, kind)))) ++again;
    std::string name = screenshot_name(number, again, kind);
    write(name, {reinterpret_cast<const char*>(png.data()), png.size()});
    return name;
}

void RunDirectory::write(const std::string& name, std::string_view text) {
    const std::filesystem::path file = path_ / path_of(name);
    if (log_.layout == LogLayout::turn_dirs) { // a turn's first file makes its folder
        std::error_code error;
        std::filesystem::create_directory(file.parent_path(), error);
        if (error) refuse(file.parent_path(), "cannot be created", error.message());
    }
    write_file(file, text);
}

std::vector<std::uint8_t> RunDirectory::read(const std::string& name) const {
    const std::filesystem::path file = path_ / path_of(name);
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    if (!in) refuse(file, "cannot be read", "is it still there?");
    const std::string text = std::move(bytes).str();
    return {text.begin(), text.end()};
}

void RunDirectory::append(const std::string& name, std::string_view text) {
    const std::filesystem::path file = path_ / path_of(name);
    if (!AppendFile(file).append(text)) refuse(file, "cannot be written", "is the disk full?");
}

void RunDirectory::log_event(const Event& event) {
    const std::string text = describe(event);
    if (!text.empty()) log_note(text);
    if (!log_.to_file) return;
    const std::string line = main_log_line(event, log_.level);
    if (!line.empty()) append("main.log", fmt::format("{} {}\n", timestamp(), line));
}

void RunDirectory::log_note(std::string_view text) {
    append("execution_log.txt", fmt::format("[{}] {}\n", timestamp(), text));
}

void RunDirectory::log_exchange(const vlm::Exchange& exchange) {
    ++exchanges_;
    std::string text =
        fmt::format("[{}] #{} {} {}\n", timestamp(), exchanges_, exchange.method, exchange.url);
    if (!exchange.request_body.empty()) {
        text += "request: " + shortened_request(exchange.request_body) + "\n";
    }
    if (exchange.error.empty() || exchange.status != 0) {
        text += fmt::format("response: {} in {} ms\n{}\n", exchange.status,
                            exchange.elapsed.count(), to_valid_utf8(exchange.response_body));
    }
    if (!exchange.error.empty()) text += fmt::format("failed: {}\n", exchange.error);
    append("http.log", text + "\n");
}

} // namespace eyehand::agent
