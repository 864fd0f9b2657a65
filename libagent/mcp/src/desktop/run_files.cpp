#include "desktop/run_files.hpp"

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/winio/error.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <istream>
#include <map>
#include <system_error>
#include <utility>

namespace eyehand::mcp {
namespace {

namespace json = agent::json;

json::array rect_array(const winio::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

int value_of_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

[[noreturn]] void not_found(std::string_view uri) {
    throw Error(errc::resource_not_found, "there is no resource " + std::string(uri));
}

std::string percent_decoded(std::string_view text, std::string_view uri) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? value_of_digit(text[i + 1]) : -1;
        const int low = high < 0 ? -1 : value_of_digit(text[i + 2]);
        if (low < 0) not_found(uri);
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

std::string media_type_of_file(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, const char*>, 7> types{{
        {".html", "text/html"},
        {".json", "application/json"},
        {".jsonl", "application/jsonl"},
        {".txt", "text/plain"},
        {".log", "text/plain"},
        {".jpg", "image/jpeg"},
        {".webp", "image/webp"},
    }};
    if (name.ends_with(".png")) return "image/png";
    for (const auto& [end, type] : types)
        if (name.ends_with(end)) return type;
    return "application/octet-stream";
}

bool is_text(const std::string& media_type) {
    return media_type.starts_with("text/") || media_type.starts_with("application/json");
}

/// The directories of runs by number, the latest one first.
std::map<int, std::filesystem::path, std::greater<>> runs_in(const std::filesystem::path& folder) {
    std::map<int, std::filesystem::path, std::greater<>> runs;
    std::error_code problem;
    for (std::filesystem::directory_iterator it(folder, problem), end; !problem && it != end;
         it.increment(problem)) {
        const std::u8string name = it->path().filename().u8string();
        if (const auto number = agent::run_number(std::string(name.begin(), name.end())))
            runs.emplace(*number, it->path());
    }
    return runs;
}

std::string name_of(const std::filesystem::path& run) {
    const std::u8string name = run.filename().u8string();
    return {name.begin(), name.end()};
}

} // namespace

json::array displays_json(winio::Desktop& desktop) {
    json::array all;
    for (const winio::Display& display : desktop.displays())
        all.push_back(json::object{{"id", display.id},
                                   {"name", display.name},
                                   {"bounds", rect_array(display.bounds)},
                                   {"dpi", display.dpi},
                                   {"primary", display.primary}});
    return all;
}

json::object windows_json(winio::Desktop& desktop, const winio::Rect& area,
                          const agent::Secrets& secrets) {
    constexpr std::size_t max_title_bytes = 300;
    winio::Windows* windows = desktop.windows();
    if (windows == nullptr)
        throw Error(errc::resource_not_found, "this desktop does not list its windows");
    json::array all;
    for (const winio::WindowInfo& window : windows->list()) {
        std::string title = secrets.redact(window.title);
        if (title.size() > max_title_bytes)
            title =
                title.substr(0, base::utf8::boundary_at_or_before(title, max_title_bytes)) + "...";
        json::object one{{"title", std::move(title)},
                         {"class", window.window_class},
                         {"process", window.process},
                         {"state", to_string(window.state)},
                         {"foreground", window.foreground}};
        const winio::Rect visible = winio::intersection(window.bounds, area);
        if (!visible.empty()) one["bounds"] = rect_array(visible);
        all.push_back(std::move(one));
    }
    return {{"untrusted", "window"}, {"windows", std::move(all)}};
}

json::array runs_json(const std::filesystem::path& runs) {
    constexpr std::size_t max_runs = 100;
    json::array all;
    for (const auto& [number, path] : runs_in(runs)) {
        if (all.size() == max_runs) break;
        json::object run{{"run", name_of(path)}};
        try {
            const agent::StoredRun stored = agent::load_run(path);
            run["task"] = stored.summary.task;
            run["profile"] = stored.summary.profile.name;
            run["outcome"] = stored.outcome;
        } catch (const agent::Error&) { // NOLINT(bugprone-empty-catch): it began just now
        }
        json::array files;
        for (const char* name : {"report.html", "events.jsonl", "run.json", "execution_log.txt"})
            if (std::error_code problem; std::filesystem::exists(path / name, problem))
                files.push_back(json::object{
                    {"name", name},
                    {"uri", std::string(runs_uri) + "/" + name_of(path) + "/" + name}});
        run["files"] = std::move(files);
        all.push_back(std::move(run));
    }
    return all;
}

std::vector<ResourceContents> json_contents(const std::string& uri, const json::value& content) {
    return {{.uri = uri, .mime_type = "application/json", .data = agent::to_text(content)}};
}

std::vector<std::uint8_t> read_bytes(const agent::RunStore& store, const std::string& name) {
    constexpr std::size_t max_bytes = std::size_t{64} << 20U;
    const auto in = store.open_read(name);
    if (!in) throw Error(errc::resource_not_found, "the run has no file " + name);
    std::vector<std::uint8_t> bytes;
    std::array<char, 65536> some{};
    while (in->read(some.data(), some.size()) || in->gcount() > 0) {
        bytes.insert(bytes.end(), some.data(), some.data() + in->gcount());
        if (bytes.size() > max_bytes)
            throw Error(errc::resource_not_found, "the file " + name + " is larger than 64 MiB");
    }
    return bytes;
}

std::vector<ResourceContents> run_file(const std::filesystem::path& runs, std::string_view uri) {
    const std::string prefix = std::string(runs_uri) + "/";
    if (!uri.starts_with(prefix)) not_found(uri);
    const std::string_view rest = uri.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) not_found(uri);
    const std::string run = percent_decoded(rest.substr(0, slash), uri);
    const std::string file = percent_decoded(rest.substr(slash + 1), uri);
    // Only names of run directories; `RunDirectory` refuses names that lead out of it.
    if (!agent::run_number(run) || file.empty() || file.find('\0') != std::string::npos)
        not_found(uri);
    std::vector<std::uint8_t> bytes;
    try {
        bytes = read_bytes(agent::RunDirectory::open(runs / run), file);
    } catch (const agent::Error&) {
        not_found(uri);
    }
    ResourceContents contents{
        .uri = std::string(uri), .mime_type = media_type_of_file(file), .data = {}};
    std::string text(bytes.begin(), bytes.end());
    if (is_text(contents.mime_type) && !base::utf8::first_invalid(text))
        contents.data = std::move(text);
    else
        contents.data = std::move(bytes);
    return {std::move(contents)};
}

} // namespace eyehand::mcp
