// The report is the panel's page (libagent/page/web) with all its files and data inside.
#include "eyehand/session/report.hpp"

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/base/folder_file.hpp"
#include "eyehand/base/invisible.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/vlm/digest.hpp"
#include "page_files.hpp"
#include "report/report_json.hpp"
#include "report/screenshots.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace eyehand::session {
namespace {

constexpr std::size_t least_turns = 50;

/// "'sha256-...'" for a policy: the browser applies only the style and the script with these
/// hashes.
std::string source_hash(std::string_view text) {
    const std::string hex = vlm::sha256_hex(text);
    std::string digest;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        unsigned byte = 0;
        std::from_chars(hex.data() + at, hex.data() + at + 2, byte, 16);
        digest += static_cast<char>(byte);
    }
    return "'sha256-" + base::to_base64(digest) + "'";
}

std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : text) {
        if (c == '<')
            html += "&lt;";
        else if (c == '&')
            html += "&amp;";
        else if (c == '"')
            html += "&quot;";
        else
            html += c;
    }
    return html;
}

/// JSON for a script element: cannot end the element or begin a comment.
std::string script_json(const json::value& value) {
    std::string text = agent::replace_all(agent::to_text(value), "<", "\\u003c");
    // Older JavaScript versions treat these as line breaks.
    text = agent::replace_all(std::move(text), "\xe2\x80\xa8", "\\u2028");
    return agent::replace_all(std::move(text), "\xe2\x80\xa9", "\\u2029");
}

json::array screenshots_json(const std::vector<ScreenshotFile>& recorded,
                             const std::vector<ComposedScreenshot>& screenshots) {
    json::array all;
    for (std::size_t i = 0; i < screenshots.size(); ++i) {
        const ComposedScreenshot& screenshot = screenshots[i];
        json::array layers;
        for (const ComposedScreenshot::Layer& it : screenshot.layers)
            layers.emplace_back(json::array{it.image, it.at.x, it.at.y, it.at.width, it.at.height});
        json::object one{{"file", recorded[i].file},
                         {"width", screenshot.size.width},
                         {"height", screenshot.size.height},
                         {"layers", std::move(layers)}};
        if (screenshot.reduced) one["reduced"] = true;
        if (!screenshot.problem.empty()) one["problem"] = agent::to_valid_utf8(screenshot.problem);
        all.emplace_back(std::move(one));
    }
    return all;
}

/// A JSON array, without a library: the texts are long and need no escapes.
std::string images_json(const std::vector<std::string>& urls) {
    std::size_t bytes = 2;
    for (const std::string& url : urls) bytes += url.size() + 3;
    std::string text;
    text.reserve(bytes);
    text += '[';
    for (const std::string& url : urls) {
        if (text.size() > 1) text += ',';
        text += '"';
        text += url;
        text += '"';
    }
    return text + ']';
}

/// Replaces the only occurrence of `line` by `part`.
void replace_part(std::string& page, std::string_view line, std::string_view part) {
    const std::size_t at = page.find(line);
    if (at == std::string::npos || page.find(line, at + 1) != std::string::npos)
        throw std::logic_error(fmt::format("the page must contain exactly once: {}", line));
    page.replace(at, line.size(), part);
}

std::string element(std::string_view id, std::string_view json) {
    return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, json);
}

/// Removes the screenshots that no turn refers to.
void drop_unused_screenshots(json::object& page) {
    std::set<std::string> used;
    for (const json::value& turn : page.at("turns").as_array())
        for (const char* name : {"seen", "after"})
            if (const json::value& number = turn.at(name); number.is_number())
                used.insert(std::to_string(number.to_number<std::size_t>()));
    json::object left;
    for (auto& [number, screenshot] : page.at("screenshots").as_object())
        if (used.contains(std::string(number))) left[number] = std::move(screenshot);
    page.at("screenshots") = std::move(left); // operator[] would move the other members
}

/// Shortens all texts that are longer than `limit`.
json::value shortened(const json::value& record, std::size_t limit) {
    json::value shorter = record;
    json::value texts = std::move(shorter.as_object().at("texts"));
    shorten_texts(shorter, limit);
    shorten_texts(texts, limit, "the folder prompts");
    shorter.as_object().at("texts") = std::move(texts);
    return shorter;
}

/// `record` as JSON of at most `max_bytes`: shortens the longest texts first; if that is not
/// enough, omits the texts of requests, then the last turns.
std::string words_within(json::value record, std::size_t max_bytes) {
    std::string text = script_json(record);
    json::value shorter;
    for (const std::size_t limit : {200'000U, 50'000U, 10'000U, 2'000U}) {
        if (text.size() <= max_bytes) return text;
        shorter = shortened(record, limit);
        text = script_json(shorter);
    }
    if (text.size() <= max_bytes) return text;
    if (json::object& texts = record.at("texts").as_object(); !texts.empty()) {
        texts.clear();
        record.at("remarks").as_array().emplace_back(
            "The texts of requests do not fit into the report.");
        text = script_json(record);
    }
    for (const std::size_t limit : {200'000U, 50'000U, 10'000U, 2'000U, 400U, 80U}) {
        if (text.size() <= max_bytes) return text;
        shorter = shortened(record, limit);
        text = script_json(shorter);
    }
    if (text.size() <= max_bytes) return text;
    json::object& page = shorter.as_object();
    json::array& turns = page.at("turns").as_array();
    const std::size_t all = turns.size();
    page.at("remarks").as_array().emplace_back("");
    while (text.size() > max_bytes) {
        if (turns.empty()) // unrealistically large settings
            page.at("config").as_object()["settings"] = json::array();
        const bool was_empty = turns.empty();
        turns.resize(turns.size() / 2);
        drop_unused_screenshots(page);
        page.at("remarks").as_array().back() =
            fmt::format("Only {} of {} turns fit into the report.", turns.size(), all);
        text = script_json(shorter);
        if (was_empty) break;
    }
    return text;
}

} // namespace

namespace {

void show_verification(json::object& page, const std::filesystem::path& run_directory,
                       const std::string& key) {
    Verification result;
    try {
        result = verify_run(agent::RunDirectory::open(run_directory), key);
    } catch (const agent::Error&) { // a run without a journal
        return;
    }
    constexpr std::size_t max_shown = 20;
    json::array& remarks = page.at("remarks").as_array();
    for (std::size_t i = 0; i < std::min(result.problems.size(), max_shown); ++i)
        remarks.emplace_back(agent::to_valid_utf8("Verification: " + to_text(result.problems[i])));
    std::string words = fmt::format("{} problems", result.problems.size());
    if (result.problems.empty())
        words = result.unverified.empty() ? "no change found" : "no change found in a part";
    if (result.assurance == Assurance::key) words += ", with the key";
    if (result.assurance == Assurance::none) words += ", without the key";
    page.at("config").as_object()["verification"] = words;
}

} // namespace

std::string report_html(const std::filesystem::path& run_directory, const ReportOptions& options) {
    ReportJson report = read_report_json(run_directory);
    show_verification(report.page, run_directory, options.journal_key);
    const std::size_t max = std::min(options.max_bytes, options.max_bytes_per_turn *
                                                            std::max(report.turns, least_turns));
    std::string page = page::file_text("index.html");
    const std::string style = page::file_text("page.css");
    const std::string script = page::bundle("report.js");
    const std::string title = escaped(base::escape_invisible(fmt::format(
        "{}: {} – Eyehand", report.page.at("run").as_string().c_str(),
        agent::shorten(agent::one_line(report.page.at("state").at("task").as_string().c_str()),
                       80))));
    const std::string policy = fmt::format(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; "
        "form-action 'none'",
        source_hash(style), source_hash(script));

    const std::string run = words_within(std::move(report.page), max / 2);
    // The list of screenshots takes some hundred bytes per screenshot and layer; the reserve is
    // sufficient.
    const std::size_t taken = run.size() + style.size() + script.size() + page.size() +
                              report.screenshot_files.size() * 2000 + 10'000;
    const ScreenshotSet set =
        fit_screenshots(run_directory, report.screenshot_files, taken < max ? max - taken : 0);

    replace_part(page, "<title>Loading – Eyehand</title>",
                 fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                             "<title>{}</title>",
                             policy, title));
    replace_part(page, R"(<link rel="stylesheet" href="/page.css">)",
                 "<style>" + style + "</style>");
    replace_part(page, "<script type=\"module\" src=\"/panel.js\"></script>\n", "");
    replace_part(page, "</body>",
                 element("run", run) +
                     element("pictures", script_json(screenshots_json(report.screenshot_files,
                                                                      set.screenshots))) +
                     element("images", images_json(set.images)) + "<script>" + script +
                     "</script>\n</body>");
    return page;
}

std::filesystem::path write_report(const std::filesystem::path& run_directory,
                                   const ReportOptions& options) {
    const std::string html = report_html(run_directory, options);
    constexpr const char* name = "report.html";
    std::filesystem::path file = run_directory / name;
    // A unique name: the end of the run and `agent-cli report` may write at the same time.
    const std::string next = fmt::format("{}.{:08x}.new", name, std::random_device{}());
    base::FileProblem problem;
    if (base::replace_in_folder(run_directory, name, next, html, base::Folders::existing, problem))
        return file;
    throw agent::Error(
        agent::errc::journal_failed,
        fmt::format("{} cannot be written: {}", agent::text_of(file),
                    problem.reason.empty()
                        ? "check that the folder is writable and the disk is not full"
                        : problem.reason));
}

} // namespace eyehand::session
