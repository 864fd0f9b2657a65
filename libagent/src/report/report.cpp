// The page's parts are in libagent/report: page.html with places in double braces, style.css and script.js.
#include "eyehand/agent/report.hpp"

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "embedded.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/digest.hpp"
#include "report/pictures.hpp"
#include "report/record.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t least_turns = 50;

/// A part of the page. Git may have given it line breaks that a browser would change before it compares the
/// hashes of the policy.
std::string part(std::string_view name) {
    for (const EmbeddedFile& file : embedded_report())
        if (file.name == name) return replace_all(std::string(file.text), "\r\n", "\n");
    throw std::logic_error("the report's page lacks a part");
}

/// "'sha256-...'" of a policy: the only style and the only script that a browser heeds.
std::string source_hash(std::string_view text) {
    const std::string hex = vlm::sha256_hex(text);
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto nibble = [&](std::size_t i) -> unsigned {
        if (i >= hex.size()) return 0;
        const char c = hex[i];
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    std::string
        base64; // of 64 nibbles: three make two digits, the last two with two zeros behind them
    for (std::size_t at = 0; at < hex.size(); at += 3) {
        const unsigned bits = nibble(at) << 8U | nibble(at + 1) << 4U | nibble(at + 2);
        base64 += digits[bits >> 6U];
        base64 += digits[bits & 63U];
    }
    base64.back() = '='; // 32 bytes are ten times three and two
    return "'sha256-" + base64 + "'";
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

/// JSON for a script element: nothing in it can end the element or begin a comment.
std::string script_json(const json::value& value) {
    std::string text = replace_all(to_text(value), "<", "\\u003c");
    // Line ends for scripts of old.
    text = replace_all(std::move(text), "\xe2\x80\xa8", "\\u2028");
    return replace_all(std::move(text), "\xe2\x80\xa9", "\\u2029");
}

json::array pictures_json(const std::vector<RecordedPicture>& recorded,
                          const std::vector<LaidPicture>& pictures) {
    json::array all;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const LaidPicture& picture = pictures[i];
        json::array layers;
        for (const LaidPicture::Layer& it : picture.layers)
            layers.emplace_back(json::array{it.image, it.at.x, it.at.y, it.at.width, it.at.height});
        json::object one{{"file", recorded[i].file},
                         {"width", picture.size.width},
                         {"height", picture.size.height},
                         {"layers", std::move(layers)}};
        if (picture.reduced) one["reduced"] = true;
        if (!picture.problem.empty()) one["problem"] = to_valid_utf8(picture.problem);
        all.emplace_back(std::move(one));
    }
    return all;
}

/// By hand, because they are long, and nothing in them needs an escape.
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

/// The template with its places filled, in one go: what is filled in may look like a place.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> places) {
    std::string all;
    std::size_t bytes = page.size();
    for (const auto& [name, text] : places) bytes += text.size();
    all.reserve(bytes);
    while (true) {
        const std::size_t open = page.find("{{");
        all += page.substr(0, open);
        if (open == std::string_view::npos) return all;
        const std::size_t close = page.find("}}", open);
        const std::string_view name = page.substr(open + 2, close - open - 2);
        const auto place = std::find_if(places.begin(), places.end(),
                                        [&](const auto& it) { return it.first == name; });
        if (place == places.end()) throw std::logic_error("the report's page has an unknown place");
        all += place->second;
        page.remove_prefix(close + 2);
    }
}

/// `record` as text that takes no more bytes: what is longest is cut first, and where it is the number of
/// things that makes it long, the last turns are left out.
std::string words_within(const json::value& record, std::size_t max_bytes) {
    std::string text = script_json(record);
    json::value shorter;
    for (const std::size_t limit : {200'000U, 50'000U, 10'000U, 2'000U, 400U, 80U}) {
        if (text.size() <= max_bytes) return text;
        shorter = record;
        shorten_texts(shorter, limit);
        text = script_json(shorter);
    }
    if (text.size() <= max_bytes) return text;
    json::array& turns = shorter.at("turns").as_array();
    const std::size_t all = turns.size();
    shorter.at("remarks").as_array().emplace_back("");
    while (text.size() > max_bytes) {
        if (turns.empty()) // a settings file or a beginning that no run has
            for (const char* list : {"before", "settings"}) shorter.at(list) = json::array();
        const bool was_empty = turns.empty();
        turns.resize(turns.size() / 2);
        shorter.at("remarks").as_array().back() =
            fmt::format("Of {} turns only {} have room in the report.", all, turns.size());
        text = script_json(shorter);
        if (was_empty) break;
    }
    return text;
}

} // namespace

std::string report_html(const std::filesystem::path& run_directory, const ReportOptions& options) {
    RunRecord record = read_record(run_directory);
    const std::size_t max =
        std::min(options.max_bytes, options.max_bytes_a_turn * std::max(record.turns, least_turns));
    const std::string style = part("style.css");
    const std::string script = part("script.js");
    const std::string page = part("page.html");
    const std::string title =
        escaped(fmt::format("{}: {}", record.page.at("run").as_string().c_str(),
                            shorten(one_line(record.page.at("task").as_string().c_str()), 80)));
    const std::string policy = fmt::format(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; "
        "form-action 'none'",
        source_hash(style), source_hash(script));

    const std::string run = words_within(std::move(record.page), max / 2);
    // What the list of pictures itself takes, some hundred bytes each and a layer, is room enough.
    const std::size_t taken = run.size() + style.size() + script.size() + page.size() +
                              record.pictures.size() * 2000 + 10'000;
    const PictureSet set =
        fit_pictures(run_directory, record.pictures, taken < max ? max - taken : 0);
    const std::string pictures = script_json(pictures_json(record.pictures, set.pictures));
    return filled(page, {{"policy", policy},
                         {"title", title},
                         {"style", style},
                         {"script", script},
                         {"run", run},
                         {"pictures", pictures},
                         {"images", images_json(set.images)}});
}

std::filesystem::path write_report(const std::filesystem::path& run_directory,
                                   const ReportOptions& options) {
    const std::string html = report_html(run_directory, options);
    std::filesystem::path file = run_directory / "report.html";
    // A name of its own: a run that ends and somebody who asks for its report may write at once.
    const std::filesystem::path next =
        run_directory / fmt::format("report.html.{:08x}.new", std::random_device{}());
    std::error_code error;
    {
        std::ofstream out(next, std::ios::binary | std::ios::trunc);
        out.write(html.data(), static_cast<std::streamsize>(html.size()));
        out.close();
        if (!out) error = std::make_error_code(std::errc::io_error);
    }
    std::string reason = "is the folder writable and the disk not full?";
    if (!error) {
        std::filesystem::rename(next, file, error);
        if (!error) return file;
        reason = error.message();
    }
    std::filesystem::remove(next, error);
    throw Error(errc::journal_failed,
                fmt::format("{} cannot be written: {}", text_of(file), reason));
}

} // namespace eyehand::agent
