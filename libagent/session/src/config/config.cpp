#include "eyehand/session/config.hpp"

#include "annotation/annotation_json.hpp"
#include "base/edit_distance.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "profile/words.hpp"
#include "json/json.hpp"
#include "json/jsonc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

namespace eyehand::session {

using namespace agent;

namespace {

using Kind = SettingKind;

constexpr double a_day = 86400;
constexpr winio::Size default_box{1536, 864};
constexpr double max_side = winio::max_image_side;

/// For settings that an untrusted file may set.
constexpr SettingSpec harmless(SettingSpec setting) {
    setting.trust = SettingTrust::not_required;
    return setting;
}

constexpr std::array specs{
    SettingSpec{"profile", Kind::text, "a built-in profile or the folder of a profile", "observer",
                1},
    SettingSpec{"endpoint", Kind::text,
                "URL of the server: its base or the full path of one of the APIs",
                "http://localhost:1234/v1/chat/completions", 1, 0, "LMSTUDIO_ENDPOINT"},
    harmless({.name = "api",
              .kind = Kind::choice,
              .help = "the interface of the server: chat completions, or OpenAI's Responses API",
              .default_value = "chat",
              .choices = "chat|responses"}),
    SettingSpec{
        "store_responses", Kind::boolean,
        "let the server of the Responses API keep the conversation, and send only what is new",
        "false"},
    SettingSpec{"model", Kind::text, "the model to use", {}, 0, 0, "LMSTUDIO_MODEL"},
    SettingSpec{"api_key", Kind::secret, "sent to the server as a bearer token"},
    SettingSpec{
        "ca_file", Kind::text, "PEM file with additional certificate authorities for https", {}, 1},
    SettingSpec{"insecure", Kind::boolean,
                "send the API key over plain http to other computers without a warning", "false"},
    harmless({"timeout", Kind::seconds,
              "maximum duration of one attempt of a request; 0 or less: no limit", "240", -a_day,
              a_day, "LMSTUDIO_TIMEOUT"}),
    harmless({"connect_timeout", Kind::seconds, "maximum time to connect; 0 or less: no limit", "5",
              -a_day, a_day}),
    harmless({"first_byte_timeout", Kind::seconds,
              "maximum time to the first byte of a reply; 0 or less: no limit", "0", -a_day,
              a_day}),
    harmless({.name = "idle_timeout",
              .kind = Kind::seconds,
              .help = "maximum time between two bytes of a reply; 0 or less: no limit",
              .default_value = "0",
              .min = -a_day,
              .max = a_day,
              .alias = "silence_timeout"}),
    harmless({"stream", Kind::boolean, "stream replies while the model generates them", "true"}),
    harmless(
        {"retries", Kind::integer, "maximum number of retries of a failed request", "2", 0, 100}),
    harmless({"probe", Kind::boolean, "detect the server's capabilities before a run", "true"}),
    harmless(
        {"temperature", Kind::number, "sampling temperature", {}, 0, 2, "LMSTUDIO_TEMPERATURE"}),
    harmless({"top_p", Kind::number, "nucleus sampling: probability mass", {}, 0, 1}),
    harmless({"max_tokens",
              Kind::integer,
              "maximum length of a reply in tokens; 0 or less: the server's limit",
              {},
              -1,
              10000000,
              "LMSTUDIO_MAX_TOKENS"}),
    harmless({.name = "reasoning_effort",
              .kind = Kind::choice,
              .help = "how much the model reasons before it answers",
              .choices = "none|minimal|low|medium|high|xhigh"}),
    harmless({"thinking_tokens",
              Kind::integer,
              "maximum number of tokens of the model's reasoning; 0: no reasoning; -1: the "
              "server's limit",
              {},
              -1,
              10000000}),
    SettingSpec{.name = "text_tool_calls",
                .kind = Kind::choice,
                .help = "whether tool calls in the text of a reply are executed: if the model is "
                        "known not to call tools natively, until its first native call, or never",
                .choices = "never|if_not_native|until_native"},
    SettingSpec{.name = "coordinates",
                .kind = Kind::choice,
                .help =
                    "the numbers in which the model states positions; auto: by the model's family",
                .choices = "auto|norm1000|norm999|norm1000_yx|unit|percent|image_pixels|"
                           "model_pixels:28|model_pixels:32"},
    SettingSpec{.name = "calibration",
                .kind = Kind::choice,
                .help = "whether the calibration of the model, if there is one, chooses and "
                        "corrects the numbers of positions",
                .default_value = "auto",
                .choices = "auto|off"},
    SettingSpec{.name = "dialect",
                .kind = Kind::choice,
                .help = "how the model states its actions: as calls of the tools, as calls of one "
                        "function, or as text",
                .choices = "native|qwen_computer_use|claude_computer|ui_tars|glm|pyautogui|"
                           "openai_computer"},
    SettingSpec{.name = "refine",
                .kind = Kind::choice,
                .help = "whether the model is asked for the exact position before a click: never, "
                        "always, or only for small targets",
                .choices = "off|on|small"},
    SettingSpec{.name = "max_turns",
                .kind = Kind::integer,
                .help = "maximum number of turns",
                .min = 1,
                .max = 1000000,
                .variable = "AGENT_MAX_STEPS",
                .alias = "max_steps"},
    SettingSpec{"max_time", Kind::seconds, "maximum duration of a run; 0: no limit", "0", 0, a_day},
    SettingSpec{"max_total_tokens", Kind::integer,
                "maximum number of tokens of all requests and replies of a run; 0: no limit", "0",
                0, 2000000000},
    SettingSpec{"max_actions_per_minute", Kind::integer,
                "a run that acts more often within a minute ends; 0: no limit", "0", 0, 100000},
    SettingSpec{"max_run_mib", Kind::integer,
                "maximum size of the files of a run in MiB; 0: no limit", "0", 0, 1000000},
    SettingSpec{"journal_key_file",
                Kind::text,
                "file with a secret key that protects the journal against changes",
                {},
                1},
    SettingSpec{"record_desktop", Kind::boolean,
                "record captures, windows and input of a run, so that it can be replayed", "false"},
    SettingSpec{"stop_key", Kind::text, "chord that stops a run in any window; none: no chord does",
                "ctrl+alt+pause", 1},
    SettingSpec{"stop_gestures", Kind::boolean,
                "whether Escape that is held for a second, and the pointer that is moved into a "
                "corner of a display by hand, stop a run",
                "true"},
    SettingSpec{.name = "takeover",
                .kind = Kind::choice,
                .help = "what happens when the user uses the mouse or the keyboard",
                .default_value = "pause",
                .choices = "pause|ignore"},
    harmless({"step_delay",
              Kind::seconds,
              "fixed delay before the screenshot or, without one, the request of each turn",
              {},
              0,
              600,
              "AGENT_STEP_DELAY"}),
    harmless({"image", Kind::image_size,
              "size of screenshots: a bounding box such as 1536x864, 60%, tokens:1024"}),
    harmless({"image_exact", Kind::boolean,
              "scale to exactly this size, even if it distorts the screenshot", "false"}),
    harmless({"image_width",
              Kind::integer,
              "width of the bounding box",
              {},
              1,
              max_side,
              "AGENT_IMAGE_W"}),
    harmless({"image_height",
              Kind::integer,
              "height of the bounding box",
              {},
              1,
              max_side,
              "AGENT_IMAGE_H"}),
    harmless({.name = "image_format",
              .kind = Kind::choice,
              .help = "file format of screenshots: lossless, or smaller and lossy",
              .choices = "png|jpeg|webp"}),
    harmless(
        {"image_quality",
         Kind::integer,
         "quality of lossy screenshots: 1, the smallest files, to 100; default: 85 for jpeg, 80 "
         "for webp",
         {},
         1,
         100}),
    harmless({.name = "image_detail",
              .kind = Kind::choice,
              .help = "how closely the model looks at screenshots, where the server supports it",
              .choices = "low|high|auto|original"}),
    harmless({"keep_screenshots",
              Kind::integer,
              "number of screenshots that the conversation always keeps; 0: only the current one",
              {},
              0,
              1000,
              "AGENT_KEEP_LAST_SCREENSHOTS"}),
    harmless({"drop_screenshots",
              Kind::integer,
              "number of older screenshots removed at once",
              {},
              1,
              1000}),
    harmless({"keep_thinks",
              Kind::integer,
              "number of thoughts that the conversation always keeps; 0: none",
              {},
              0,
              1000,
              "AGENT_KEEP_LAST_THINKS"}),
    harmless(
        {"drop_thinks", Kind::integer, "number of older thoughts removed at once", {}, 1, 1000}),
    SettingSpec{"display", Kind::text, "the display to see and control, or \"all\"", {}, 1},
    SettingSpec{"window",
                Kind::text,
                "a part of the title of the window to see and control instead of a display",
                {},
                1},
    SettingSpec{.name = "crop",
                .kind = Kind::crop,
                .help = "restricts the area: x1,y1,x2,y2 from 0 to 1000",
                .alias = "capture_crop"},
    SettingSpec{"redact", Kind::list,
                "what is black in screenshots: title:TEXT, class:NAME or process:NAME of windows, "
                "area:WIDTHxHEIGHT+X+Y in pixels of the desktop, password_fields"},
    SettingSpec{"redact_own_windows", Kind::boolean,
                "black out the terminal of the agent and the pages of its panel", "true"},
    harmless({"capture_width",
              Kind::integer,
              "exact width of screenshots, with capture_height; 0 or less: unset",
              {},
              -max_side,
              max_side}),
    harmless({"capture_height",
              Kind::integer,
              "exact height of screenshots, with capture_width; 0 or less: unset",
              {},
              -max_side,
              max_side}),
    harmless({"capture_scale_percent",
              Kind::number,
              "size of screenshots in percent of the screen's size; 0 or less: unset",
              {},
              -400,
              400}),
    harmless({"capture_delay", Kind::seconds, "fixed delay before each screenshot", {}, 0, 600}),
    harmless({"settle_minimum", Kind::seconds, "minimum wait before a screenshot", "0.05", 0, 600}),
    harmless({"settle_quiet", Kind::seconds,
              "time without changes after which the screen counts as stable", "0.15", 0, 600}),
    harmless({"settle_timeout", Kind::seconds, "maximum wait for a stable screen", "2", 0, 600}),
    harmless({"reaction_timeout", Kind::seconds,
              "maximum wait for the first reaction of the screen to an action", "1", 0, 600}),
    harmless({"busy_timeout", Kind::seconds,
              "maximum wait after an action while the system shows that a program is busy", "5", 0,
              600}),
    SettingSpec{.name = "watch",
                .kind = Kind::choice,
                .help =
                    "what happens when the screen changes while the model thinks; default: resend "
                    "if the probe sees that the server stops when a client disconnects, "
                    "otherwise check",
                .choices = "resend|check|off"},
    SettingSpec{"with", Kind::list, "names of additional tools to offer"},
    harmless({"layered_windows", Kind::boolean,
              "Windows: capture layered windows by CAPTUREBLT; the pointer may flicker", "false"}),
    harmless({"heat", Kind::boolean, "mark the places of earlier actions in screenshots"}),
    harmless({"heat_radius_scale",
              Kind::number,
              "heat: radius of a mark as a fraction of the screenshot's longer side",
              {},
              0.0001,
              1}),
    harmless({"heat_stops", Kind::stops, "heat: colors from the center of a mark to its edge"}),
    harmless({"heat_trail_turns",
              Kind::integer,
              "heat: number of turns that are shown; 1: only the latest",
              {},
              1,
              100}),
    harmless({"heat_trail_shrink",
              Kind::number,
              "heat: factor for the radius of a mark per turn; 1: the radius stays",
              {},
              0.01,
              1}),
    harmless({"bbox_heat", Kind::boolean, "visual loop: draw the boxes of a reply"}),
    harmless({"bbox_border", Kind::color, "visual loop: color of the border of a box"}),
    harmless({"bbox_border_width",
              Kind::integer,
              "visual loop: width of the border in pixels of the screenshot",
              {},
              0,
              100}),
    harmless({"bbox_fill_stops", Kind::stops,
              "visual loop: colors from the center of a box to its border"}),
    SettingSpec{.name = "annotate",
                .kind = Kind::choice,
                .help = "what annotates screenshots: the library or the panel's page",
                .default_value = "native",
                .choices = "native|panel"},
    SettingSpec{.name = "guard",
                .kind = Kind::choice,
                .help = "which actions need approval or are denied; off: only on the command line",
                .default_value = "standard",
                .choices = "off|standard|strict"},
    SettingSpec{.name = "approve",
                .kind = Kind::choice,
                .help = "always: the guard is strict",
                .default_value = "never",
                .choices = "never|always"},
    SettingSpec{"physical_execution", Kind::boolean, "false: no mouse or keyboard input is sent"},
    harmless({"action_delay",
              Kind::seconds,
              "fixed delay between two actions without a screenshot between them",
              {},
              0,
              600}),
    harmless({"drag_steps", Kind::integer, "number of pointer moves along a drag", {}, 1, 1000}),
    harmless(
        {"drag_step_delay", Kind::seconds, "delay after each pointer move of a drag", {}, 0, 600}),
    harmless(
        {"type_delay", Kind::seconds, "delay between the characters of typed text", {}, 0, 600}),
    SettingSpec{"boot", Kind::text, "visual loop: replaces the first reply of the model"},
    SettingSpec{.name = "boot_enabled",
                .kind = Kind::boolean,
                .help = "visual loop: false: the user enters the first reply on the panel",
                .variable = "BOOT_ENABLED"},
    SettingSpec{"extended_actions", Kind::boolean,
                "visual loop: enable the actions type, press and scroll"},
    SettingSpec{.name = "run_dir",
                .kind = Kind::text,
                .help = "the folder for run directories",
                .default_value = "runs",
                .min = 1,
                .variable = "AGENT_DUMP_DIR",
                .alias = "runs_dir"},
    SettingSpec{.name = "log_layout",
                .kind = Kind::choice,
                .help = "visual loop: file layout of screenshots and turns",
                .choices = "flat|turn_dirs|screenshots"},
    SettingSpec{"log_to_file", Kind::boolean, "write main.log, one line per event"},
    SettingSpec{.name = "log_level",
                .kind = Kind::choice,
                .help = "minimum level of main.log",
                .choices = "debug|info|warning|error"},
    SettingSpec{"screenshot_prefix", Kind::prefix, "prefix of the file names of screenshots",
                "turn_", 0, 0, "AGENT_DUMP_PREFIX"},
    SettingSpec{"screenshot_start", Kind::integer, "number of the screenshot of turn 1", "1", 0,
                1000000, "AGENT_DUMP_START"},
    SettingSpec{"lmstudio_logs", Kind::text,
                "copy LM Studio's log of the run: the log folder, \"auto\" or \"off\"", "off", 1},
};

[[noreturn]] void refuse(const std::string& reason) { throw Error(errc::bad_config, reason); }

std::vector<std::string_view> choices_of(const SettingSpec& setting) {
    std::vector<std::string_view> all;
    for (std::string_view rest = setting.choices; !rest.empty();) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        all.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
}

std::string requirement(const SettingSpec& setting) {
    switch (setting.kind) {
    case Kind::integer:
        return fmt::format("must be a whole number from {} to {}", setting.min, setting.max);
    case Kind::number:
        return fmt::format("must be a number from {} to {}", setting.min, setting.max);
    case Kind::seconds:
        return fmt::format("must be a number from {} to {}, in seconds", setting.min, setting.max);
    case Kind::boolean:
        return "must be true or false";
    case Kind::list:
        return "must be a list of names: an array of strings in a file, separated by commas "
               "elsewhere";
    case Kind::image_size:
        return fmt::format("must be WIDTHxHEIGHT such as 1536x864 (up to {} each), PERCENT%, or "
                           "tokens:N",
                           winio::max_image_side);
    case Kind::crop:
        return "must be x1,y1,x2,y2 with numbers from 0 to 1000, and x1 < x2 and y1 < y2";
    case Kind::prefix:
        return "must be the beginning of a file name, such as turn_";
    case Kind::color:
        return "must be a color such as rgba(40,120,255,0.9)";
    case Kind::object:
        return "must be a JSON object";
    case Kind::stops:
        return "must be an array of up to 64 pairs of a place from 0 to 1 and a color, such as "
               "[[0, \"rgba(255,140,0,0.75)\"], [1, \"rgba(255,100,0,0)\"]]";
    case Kind::choice:
        return fmt::format("must be one of {}", fmt::join(choices_of(setting), ", "));
    case Kind::text:
    case Kind::secret:
        break;
    }
    return "must be a string";
}

template <class Number>
std::optional<Number> parse_number(std::string_view text, const SettingSpec& setting) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    const auto as_double = static_cast<double>(value);
    // This form is false for NaN, too.
    if (!(as_double >= setting.min && as_double <= setting.max)) return std::nullopt;
    return value;
}

std::optional<bool> parse_truth(std::string_view word) {
    for (const auto yes : {"true", "1", "yes", "on"})
        if (equals_ignoring_case(word, yes)) return true;
    for (const auto no : {"false", "0", "no", "off"})
        if (equals_ignoring_case(word, no)) return false;
    return std::nullopt;
}

std::vector<std::string> split_names(std::string_view all) {
    std::vector<std::string> found;
    while (!all.empty()) {
        const std::size_t comma = std::min(all.find(','), all.size());
        const std::string_view one = trim(all.substr(0, comma));
        if (!one.empty()) found.emplace_back(one);
        all.remove_prefix(std::min(comma + 1, all.size()));
    }
    return found;
}

/// Nothing if the text is not a valid value of the setting.
std::optional<ConfigValue> value_of(const SettingSpec& setting, const std::string& given) {
    const auto valid = [&](bool is) {
        return is ? std::optional<ConfigValue>(given) : std::nullopt;
    };
    switch (setting.kind) {
    case Kind::integer:
        return parse_number<std::int64_t>(given, setting);
    case Kind::number:
    case Kind::seconds:
        return parse_number<double>(given, setting);
    case Kind::boolean:
        return parse_truth(given);
    case Kind::list:
        return split_names(given);
    case Kind::image_size:
        return valid(winio::parse_image_size(given).has_value());
    case Kind::crop:
        return valid(parse_crop(given).has_value());
    case Kind::prefix:
        // Refuses path separators and characters that file names cannot contain.
        return valid(given.find_first_of("/\\:*?\"<>|") == std::string::npos);
    case Kind::choice:
        for (const std::string_view choice : choices_of(setting))
            if (equals_ignoring_case(choice, given)) return std::string(choice);
        return std::nullopt;
    case Kind::color:
        return valid(winio::parse_rgba(given).has_value());
    case Kind::object: {
        const auto json = parse_json(given);
        return valid(json && json->is_object());
    }
    case Kind::stops: {
        const auto json = parse_json(given);
        return valid(json && stops_of(*json));
    }
    case Kind::text:
    case Kind::secret:
        break;
    }
    return valid(true);
}

ConfigEntry entry_of(const SettingSpec& setting, const std::string& given, ConfigLayer layer,
                     const std::string& source, const std::string& named) {
    const bool needs_words = setting.kind == Kind::crop || setting.kind == Kind::image_size ||
                             (setting.kind == Kind::text && setting.min > 0);
    if (given.empty() && needs_words)
        refuse(fmt::format("{} is empty; set a value or leave it out", named));
    auto value = value_of(setting, given);
    if (!value && setting.kind == Kind::object)
        refuse(fmt::format("{} {}", named, requirement(setting)));
    if (!value) refuse(fmt::format("{} is \"{}\"; it {}", named, given, requirement(setting)));
    return {&setting, *std::move(value), layer, source};
}

// --- the file ------------------------------------------------------------------------------------

std::optional<std::vector<std::string>> texts_of(const json::value& value) {
    if (!value.is_array()) return std::nullopt;
    std::vector<std::string> all;
    for (const json::value& element : value.as_array()) {
        if (!element.is_string() || element.as_string().empty()) return std::nullopt;
        all.emplace_back(element.as_string().data(), element.as_string().size());
    }
    return all;
}

/// "x1,y1,x2,y2" for {"x1": ..., "y1": ..., "x2": ..., "y2": ...}.
std::optional<std::string> corners_in(const json::object& object) {
    std::string all;
    for (const char* member : {"x1", "y1", "x2", "y2"}) {
        const json::value* number = object.if_contains(member);
        if (number == nullptr || !number->is_number()) return std::nullopt;
        all += (all.empty() ? "" : ",") + to_text(*number);
    }
    if (object.size() != 4) return std::nullopt;
    return all;
}

/// The member's value in the notation of environment variables; nothing if it has the wrong type.
std::optional<std::string> plain_text(const SettingSpec& setting, const json::value& value) {
    switch (setting.kind) {
    case Kind::integer:
        if (value.is_int64() || value.is_uint64()) return to_text(value);
        return std::nullopt;
    case Kind::number:
    case Kind::seconds:
        if (value.is_number()) return to_text(value);
        return std::nullopt;
    case Kind::boolean:
        if (value.is_bool()) return value.as_bool() ? "true" : "false";
        return std::nullopt;
    case Kind::object:
        if (value.is_object()) return to_text(value);
        return std::nullopt;
    case Kind::stops:
        if (value.is_array()) return to_text(value);
        return std::nullopt;
    case Kind::crop:
        if (value.is_object()) return corners_in(value.as_object());
        [[fallthrough]];
    default:
        if (!value.is_string()) return std::nullopt;
        return std::string(value.as_string().data(), value.as_string().size());
    }
}

ConfigEntry entry_of(const JsoncMember& member, const std::string& place,
                     const SettingRegistry& settings) {
    const SettingSpec* setting = settings.find(member.name);
    if (setting == nullptr)
        refuse(fmt::format("{}: unknown setting \"{}\"; did you mean \"{}\"?", place,
                           shorten(one_line(member.name), 60), settings.nearest(member.name)));
    if (setting->kind == Kind::secret)
        refuse(fmt::format("{}: \"{}\" must not be in a file; set the variable {}", place,
                           setting->name, variable_of(*setting)));
    const std::string named = fmt::format("{}: \"{}\"", place, setting->name);
    if (setting->kind == Kind::list) {
        if (auto all = texts_of(member.value))
            return {setting, *std::move(all), ConfigLayer::file, place};
    } else if (const auto given = plain_text(*setting, member.value)) {
        return entry_of(*setting, *given, ConfigLayer::file, place, named);
    }
    refuse(fmt::format("{} is {}; it {}", named, shorten(to_text(member.value), 60),
                       requirement(*setting)));
}

// --- variables -----------------------------------------------------------------------------------

constexpr std::string_view variable_prefix = "EYEHAND_";
constexpr std::string_view file_variable = "EYEHAND_CONFIG"; ///< names the file itself

std::string upper(std::string_view name) {
    std::string all(name);
    for (char& c : all)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return all;
}

/// The current name first.
std::vector<std::string> variables_of(const SettingSpec& setting) {
    std::vector<std::string> all{variable_of(setting)};
    if (!setting.alias.empty()) all.push_back(std::string(variable_prefix) + upper(setting.alias));
    if (!setting.variable.empty()) all.emplace_back(setting.variable);
    return all;
}

std::string names_of_members(const std::string& text) {
    std::vector<std::string> names;
    if (const auto object = parse_json(text); object && object->is_object())
        for (const auto& member : object->get_object()) names.emplace_back(member.key());
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The setting that the misspelled name `variable` probably means; nullptr if it resembles none.
const SettingSpec* misspelled(std::string_view variable, const SettingRegistry& settings) {
    if (!variable.starts_with(variable_prefix) || variable == file_variable) return nullptr;
    const std::string_view name = variable.substr(variable_prefix.size());
    for (const SettingSpec& setting : settings.all()) {
        for (const std::string_view known : {setting.name, setting.alias}) {
            const std::size_t distance = edit_distance(name, upper(known));
            if (distance == 0) return nullptr;
            if (distance <= 2 && distance * 3 < name.size()) return &setting;
        }
    }
    return nullptr;
}

} // namespace

SettingRegistry::SettingRegistry()
    : settings_(std::make_shared<const std::vector<SettingSpec>>(specs.begin(), specs.end())) {}

const SettingRegistry& SettingRegistry::built_in() {
    static const SettingRegistry registry;
    return registry;
}

void SettingRegistry::add(std::span<const SettingSpec> settings) {
    std::vector<SettingSpec> all = *settings_;
    const auto is_taken = [&](std::string_view name) {
        return !name.empty() && std::any_of(all.begin(), all.end(), [&](const SettingSpec& other) {
            return other.name == name || other.alias == name;
        });
    };
    for (const SettingSpec& setting : settings) {
        for (const std::string_view name : {setting.name, setting.alias})
            if (is_taken(name))
                throw std::invalid_argument(fmt::format("the setting \"{}\" already exists", name));
        all.push_back(setting);
    }
    settings_ = std::make_shared<const std::vector<SettingSpec>>(std::move(all));
}

const SettingSpec* SettingRegistry::find(std::string_view name) const {
    const auto found = std::find_if(all().begin(), all().end(), [&](const SettingSpec& spec) {
        return spec.name == name || (!spec.alias.empty() && spec.alias == name);
    });
    return found == all().end() ? nullptr : &*found;
}

std::string_view SettingRegistry::nearest(std::string_view name) const {
    // All setting names are shorter; the edit distance of a long text is expensive and useless.
    const std::string_view begin = name.substr(0, 64);
    const auto distance = [&](const SettingSpec& setting) {
        const std::size_t to_name = edit_distance(begin, setting.name);
        return setting.alias.empty() ? to_name
                                     : std::min(to_name, edit_distance(begin, setting.alias));
    };
    return std::min_element(all().begin(), all().end(),
                            [&](const SettingSpec& a, const SettingSpec& b) {
                                return distance(a) < distance(b);
                            })
        ->name;
}

std::string variable_of(const SettingSpec& setting) {
    return std::string(variable_prefix) + upper(setting.name);
}

std::string to_string(const SettingSpec& setting, const ConfigValue& value) {
    if (setting.kind == Kind::secret) return "set";
    if (setting.kind == Kind::object) return names_of_members(std::get<std::string>(value));
    if (const auto* all = std::get_if<std::vector<std::string>>(&value))
        return fmt::format("{}", fmt::join(*all, ", "));
    if (const auto* is = std::get_if<bool>(&value)) return *is ? "true" : "false";
    if (const auto* whole_number = std::get_if<std::int64_t>(&value))
        return fmt::format("{}", *whole_number);
    if (const auto* any_number = std::get_if<double>(&value)) return fmt::format("{}", *any_number);
    return std::get<std::string>(value);
}

/// Settings of other registries come last.
std::size_t Config::place_of(std::string_view name) const {
    const SettingSpec* setting = settings_.find(name);
    return setting == nullptr ? settings_.all().size()
                              : static_cast<std::size_t>(setting - settings_.all().data());
}

void Config::add(ConfigEntry entry) {
    const std::string_view name = entry.setting->name;
    for (ConfigEntry& one : entries_) {
        if (one.setting->name != name) continue;
        if (entry.layer >= one.layer) one = std::move(entry);
        return;
    }
    const auto at = std::upper_bound(entries_.begin(), entries_.end(), place_of(name),
                                     [this](std::size_t place, const ConfigEntry& one) {
                                         return place < place_of(one.setting->name);
                                     });
    entries_.insert(at, std::move(entry));
}

void Config::add(const std::vector<ConfigEntry>& entries) {
    for (const ConfigEntry& entry : entries) add(entry);
}

void Config::add_untrusted(const std::vector<ConfigEntry>& entries) {
    for (const ConfigEntry& entry : entries) {
        if (entry.setting->trust == SettingTrust::not_required)
            add(entry);
        else
            ignored_.push_back(entry);
    }
}

const ConfigEntry* Config::find(std::string_view name) const {
    for (const ConfigEntry& entry : entries_)
        if (entry.setting->name == name) return &entry;
    return nullptr;
}

std::optional<std::string> Config::text(std::string_view name) const {
    const ConfigEntry* entry = find(name);
    if (entry == nullptr) return std::nullopt;
    return std::get<std::string>(entry->value);
}

std::optional<int> Config::integer(std::string_view name) const {
    const ConfigEntry* entry = find(name);
    if (entry == nullptr) return std::nullopt;
    return static_cast<int>(std::get<std::int64_t>(entry->value)); // the ranges of the specs fit
}

std::optional<double> Config::number(std::string_view name) const {
    const ConfigEntry* entry = find(name);
    if (entry == nullptr) return std::nullopt;
    return std::get<double>(entry->value);
}

std::optional<std::chrono::milliseconds> Config::duration(std::string_view name) const {
    const auto value = number(name);
    if (!value) return std::nullopt;
    // 0.0004 s must not become 0, which means "no limit".
    const double ms = *value > 0 ? std::max(1.0, *value * 1000) : *value * 1000;
    return std::chrono::milliseconds(std::llround(ms));
}

bool Config::boolean(std::string_view name) const {
    const ConfigEntry* entry = find(name);
    return entry != nullptr && std::get<bool>(entry->value);
}

std::vector<std::string> Config::list(std::string_view name) const {
    const ConfigEntry* entry = find(name);
    if (entry == nullptr) return {};
    return std::get<std::vector<std::string>>(entry->value);
}

Config default_config(const SettingRegistry& settings) {
    Config config(settings);
    for (const SettingSpec& setting : settings.all())
        if (!setting.default_value.empty())
            config.add(entry_of(setting, std::string(setting.default_value), ConfigLayer::defaults,
                                "default", std::string(setting.name)));
    return config;
}

std::vector<ConfigEntry> parse_config(std::string_view text, const std::string& where,
                                      const SettingRegistry& settings) {
    JsoncProblem problem;
    const auto members = parse_jsonc(text, problem);
    if (!members) refuse(fmt::format("{}:{}: {}", where, problem.line, problem.reason));
    std::vector<ConfigEntry> entries;
    for (const JsoncMember& member : *members) {
        const std::string place = fmt::format("{}:{}", where, member.line);
        if (member.value.is_null() && settings.find(member.name) != nullptr) continue;
        ConfigEntry entry = entry_of(member, place, settings);
        for (const ConfigEntry& other : entries) {
            if (other.setting == entry.setting)
                refuse(fmt::format("{}: \"{}\" is already set at {}", place, member.name,
                                   other.source));
            const auto is = [](const ConfigEntry& one, std::string_view name) {
                return one.setting->name == name;
            };
            if ((is(entry, "window") && is(other, "display")) ||
                (is(entry, "display") && is(other, "window")))
                refuse(fmt::format("{}: a window and a display exclude each other; set only one",
                                   place));
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<ConfigEntry> config_from_variables(
    const std::function<std::optional<std::string>(const std::string& name)>& read,
    std::span<const std::string> present, const SettingRegistry& settings) {
    for (const std::string& variable : present)
        if (const SettingSpec* meant = misspelled(variable, settings))
            refuse(fmt::format("the environment variable {} is not a setting; did you mean {}?",
                               variable, variable_of(*meant)));
    std::vector<ConfigEntry> entries;
    for (const SettingSpec& setting : settings.all()) {
        for (const std::string& variable : variables_of(setting)) {
            const auto given = read(variable);
            if (!given || given->empty()) continue;
            const std::string named = "the environment variable " + variable;
            const bool plain = std::all_of(given->begin(), given->end(),
                                           [](char c) { return c > ' ' && c < 0x7F; });
            if (setting.kind == Kind::secret && !plain)
                refuse(named + " holds a space, a control character or a character outside ASCII; "
                               "copy the key again");
            entries.push_back(entry_of(setting, *given, ConfigLayer::environment, variable, named));
            break; // the first name takes precedence
        }
    }
    return entries;
}

ConfigEntry config_from_flag(std::string_view name, const std::string& flag,
                             const std::string& text, const SettingRegistry& settings) {
    const SettingSpec* setting = settings.find(name);
    if (setting == nullptr) refuse(fmt::format("{}: unknown setting \"{}\"", flag, name));
    return entry_of(*setting, text, ConfigLayer::flag, flag, flag);
}

std::vector<ConfigEntry> config_of(const Profile& profile) {
    std::vector<ConfigEntry> entries;
    const auto put = [&](std::string_view name, ConfigValue value) {
        entries.push_back({SettingRegistry::built_in().find(name), std::move(value),
                           ConfigLayer::profile, "profile"});
    };
    const auto put_whole = [&](std::string_view name, auto value) {
        put(name, static_cast<std::int64_t>(value));
    };
    put("model", profile.model);
    if (profile.sampling.temperature) put("temperature", *profile.sampling.temperature);
    if (profile.sampling.top_p) put("top_p", *profile.sampling.top_p);
    if (profile.sampling.max_tokens) put_whole("max_tokens", *profile.sampling.max_tokens);
    if (profile.sampling.reasoning_effort)
        put("reasoning_effort", std::string(vlm::to_string(*profile.sampling.reasoning_effort)));
    if (profile.sampling.thinking_tokens)
        put_whole("thinking_tokens", *profile.sampling.thinking_tokens);
    if (profile.sampling.image_detail)
        put("image_detail", std::string(vlm::to_string(*profile.sampling.image_detail)));
    put("text_tool_calls", word_for(profile.text_tool_calls, text_tool_calls_words()));
    put("coordinates", std::string(profile.coordinates ? to_string(*profile.coordinates) : "auto"));
    put("dialect", std::string(to_string(profile.dialect)));
    put("refine", word_for(profile.refine, refine_words()));
    put_whole("max_turns", profile.max_turns);
    put("step_delay", static_cast<double>(profile.step_delay.count()) / 1000);
    put("image", winio::to_string(profile.image));
    put("image_format", std::string(winio::to_string(profile.image_format)));
    if (const auto quality = winio::quality_of(profile.image_format))
        put_whole("image_quality", *quality);
    put_whole("keep_screenshots", profile.screenshots.keep);
    put_whole("drop_screenshots", profile.screenshots.batch);
    put_whole("keep_thinks", profile.thinks.keep);
    put_whole("drop_thinks", profile.thinks.batch);
    put("heat", profile.executed_heat.enabled);
    put("heat_radius_scale", profile.executed_heat.radius_scale);
    put("heat_stops", to_text(stops_json(profile.executed_heat.stops)));
    put_whole("heat_trail_turns", profile.executed_heat.trail_turns);
    put("heat_trail_shrink", profile.executed_heat.trail_shrink);
    if (mode_of(profile).traits().annotates) {
        put("bbox_heat", profile.bbox_heat.enabled);
        put("bbox_border", winio::to_string(profile.bbox_heat.border));
        put_whole("bbox_border_width", profile.bbox_heat.border_width);
        put("bbox_fill_stops", to_text(stops_json(profile.bbox_heat.fill_stops)));
    }
    put("physical_execution", profile.physical_execution);
    const auto put_delay = [&](std::string_view name, std::chrono::milliseconds delay) {
        put(name, static_cast<double>(delay.count()) / 1000);
    };
    put_delay("capture_delay", profile.pace.capture_delay);
    put_delay("action_delay", profile.pace.action_delay);
    put_whole("drag_steps", profile.pace.drag_steps);
    put_delay("drag_step_delay", profile.pace.drag_step_delay);
    put_delay("type_delay", profile.pace.type_delay);
    put("log_to_file", profile.log.to_file);
    put("log_level", word_for(profile.log.level, log_level_words()));
    const ModeFactory& mode = mode_of(profile);
    for (const auto& [name, value] : mode.options(profile)) {
        const SettingSpec* setting = SettingRegistry::built_in().find(name);
        if (setting == nullptr) continue; // of a custom mode: it has no setting
        if (setting->kind == Kind::boolean)
            put(name, value == "true");
        else
            put(name, value);
    }
    if (mode.traits().stores_replies)
        put("log_layout", word_for(profile.log.layout, log_layout_words()));
    if (!profile.lmstudio_logs.empty()) put("lmstudio_logs", profile.lmstudio_logs);
    return entries;
}

std::optional<winio::NormBox> parse_crop(std::string_view text) {
    std::array<double, 4> numbers{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [stopped, error] = std::from_chars(at, end, numbers[i]);
        const bool last = i + 1 == numbers.size();
        const bool separated = last ? stopped == end : stopped != end && *stopped == ',';
        if (error != std::errc{} || !separated) return std::nullopt;
        at = last ? end : stopped + 1;
    }
    const auto inside = [](double n) { return n >= 0 && n <= 1000; }; // false for NaN, too
    if (!std::all_of(numbers.begin(), numbers.end(), inside)) return std::nullopt;
    const winio::NormBox box{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (box.x1 >= box.x2 || box.y1 >= box.y2) return std::nullopt;
    return box;
}

namespace {

/// The bounding box or exact size; nullptr if the size is neither.
winio::Size* side_lengths(winio::ImageSize& image) {
    if (auto* fit = std::get_if<winio::FitWithin>(&image)) return &fit->box;
    if (auto* exact = std::get_if<winio::ExactSize>(&image)) return &exact->size;
    return nullptr;
}

} // namespace

ImageSizeSetting image_size_setting(const Config& config) {
    ImageSizeSetting setting{winio::FitWithin{default_box}, "default"};
    auto layer = ConfigLayer::defaults;
    if (const ConfigEntry* image = config.find("image")) {
        if (auto size = winio::parse_image_size(std::get<std::string>(image->value)))
            setting.size = *size;
        setting.source = image->source;
        layer = image->layer;
    }
    // Both sides take precedence over a percentage; values up to 0 count as unset.
    const auto later = [&](std::string_view name) {
        const ConfigEntry* entry = config.find(name);
        return entry != nullptr && entry->layer > layer ? entry : nullptr;
    };
    const ConfigEntry* width = later("capture_width");
    const ConfigEntry* height = later("capture_height");
    const ConfigEntry* percent = later("capture_scale_percent");
    if (width != nullptr && height != nullptr && *config.integer("capture_width") > 0 &&
        *config.integer("capture_height") > 0) {
        setting.size =
            winio::ExactSize{{*config.integer("capture_width"), *config.integer("capture_height")}};
        setting.source = width->source + ", " + height->source;
    } else if (percent != nullptr && *config.number("capture_scale_percent") > 0) {
        setting.size = winio::Percent{*config.number("capture_scale_percent")};
        setting.source = percent->source;
    }
    // A side counts if a later layer than that of `image` sets it.
    std::vector<std::string> sides;
    for (const auto& [name, side] : {std::pair{"image_width", &winio::Size::width},
                                     std::pair{"image_height", &winio::Size::height}}) {
        const ConfigEntry* entry = config.find(name);
        if (entry == nullptr || entry->layer <= layer) continue;
        if (side_lengths(setting.size) == nullptr) setting.size = winio::FitWithin{default_box};
        side_lengths(setting.size)->*side = *config.integer(name);
        sides.push_back(entry->source);
    }
    if (!sides.empty()) setting.source = fmt::format("{}", fmt::join(sides, ", "));
    if (!config.boolean("image_exact")) return setting;

    const std::string& exact_source = config.find("image_exact")->source;
    const winio::Size* size = side_lengths(setting.size);
    if (size == nullptr)
        refuse(fmt::format("{} requires a size such as --image 1536x864", exact_source));
    setting.size = winio::ExactSize{*size};
    if (layer == ConfigLayer::profile && sides.empty()) setting.source = exact_source;
    return setting;
}

winio::ImageFormat image_format_setting(const Config& config,
                                        const std::optional<winio::ImageFormat>& chosen) {
    const ConfigEntry* named = config.find("image_format");
    winio::ImageFormat format = winio::PngOptions{};
    if (chosen)
        format = *chosen;
    else if (named != nullptr)
        format = *winio::parse_image_format(*config.text("image_format"));
    const auto layer = chosen             ? ConfigLayer::flag
                       : named == nullptr ? ConfigLayer::defaults
                                          : named->layer;
    if (!winio::is_supported(format))
        refuse(fmt::format("{}: this build cannot encode {}; choose png or jpeg",
                           named == nullptr || chosen ? "image_format" : named->source,
                           winio::to_string(format)));
    const ConfigEntry* quality = config.find("image_quality");
    // The quality of a profile belongs to the format of the profile.
    if (quality == nullptr ||
        (quality->layer == ConfigLayer::profile && layer > ConfigLayer::profile))
        return format;
    if (winio::quality_of(format))
        return winio::with_quality(format, *config.integer("image_quality"));
    if (quality->layer >= layer)
        refuse(fmt::format("{}: PNG is lossless and has no quality; choose jpeg or webp with "
                           "image_format, or remove image_quality",
                           quality->source));
    return format;
}

winio::AreaChoice area_setting(const Config& config) {
    winio::AreaChoice choice;
    const ConfigEntry* display = config.find("display");
    const ConfigEntry* window = config.find("window");
    if (display != nullptr && window != nullptr) {
        if (display->layer == window->layer)
            refuse(fmt::format("{} and {}: a window and a display exclude each other; set only one",
                               display->source, window->source));
        (display->layer < window->layer ? display : window) = nullptr;
    }
    if (display != nullptr) choice.display = std::get<std::string>(display->value);
    if (window != nullptr)
        choice.window = winio::WindowQuery{.title = std::get<std::string>(window->value)};
    if (const auto part = config.text("crop")) choice.crop = parse_crop(*part);
    return choice;
}

namespace {

/// The area in "WIDTHxHEIGHT+X+Y", whose X and Y may be negative: "+-10".
std::optional<winio::Rect> parse_area(std::string_view text) {
    winio::Rect area;
    const auto number = [&](int& into) {
        const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), into);
        text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
        return error == std::errc{};
    };
    const auto sign = [&](char expected) {
        const bool there = !text.empty() && text.front() == expected;
        if (there) text.remove_prefix(1);
        return there;
    };
    const bool complete = number(area.width) && sign('x') && number(area.height) && sign('+') &&
                          number(area.x) && sign('+') && number(area.y) && text.empty();
    const auto is_in_range = [](int value) { return std::abs(std::int64_t{value}) <= 1'000'000; };
    if (!complete || area.empty() || !is_in_range(area.x) || !is_in_range(area.y) ||
        !is_in_range(area.width) || !is_in_range(area.height))
        return std::nullopt;
    return area;
}

/// Adds what one element of `redact` names. Returns false if it is invalid.
bool add_redaction(std::string_view element, winio::Redaction& into) {
    if (element == "password_fields") {
        into.password_fields = true;
        return true;
    }
    const std::size_t colon = element.find(':');
    if (colon == std::string_view::npos || colon + 1 == element.size()) return false;
    const std::string_view kind = element.substr(0, colon);
    const std::string value(element.substr(colon + 1));
    if (kind == "area") {
        const auto area = parse_area(value);
        if (area) into.areas.push_back(*area);
        return area.has_value();
    }
    winio::WindowQuery query;
    if (kind == "title")
        query.title = value;
    else if (kind == "class")
        query.window_class = value;
    else if (kind == "process")
        query.process = value;
    else
        return false;
    into.windows.push_back(std::move(query));
    return true;
}

} // namespace

winio::Redaction redaction_setting(const Config& config) {
    winio::Redaction redaction;
    for (const std::string& element : config.list("redact"))
        // In variables and in run.json, a comma separates two elements.
        if (element.find(',') != std::string::npos || !add_redaction(element, redaction))
            refuse(
                fmt::format("{}: \"redact\" contains \"{}\"; an element must be title:TEXT, "
                            "class:NAME, process:NAME, area:WIDTHxHEIGHT+X+Y or password_fields, "
                            "without a comma",
                            config.find("redact")->source, shorten(one_line(element), 80)));
    return redaction;
}

namespace {

std::vector<winio::GradientStop> stops_setting(const Config& config, std::string_view name) {
    return *stops_of(*parse_json(*config.text(name)));
}

/// `later` tells whether a later layer than the profile sets a setting.
template <class Later>
void apply_heat(const Config& config, const Later& later, Profile& profile) {
    ExecutedHeat& heat = profile.executed_heat;
    if (later("heat")) heat.enabled = config.boolean("heat");
    if (later("heat_radius_scale")) heat.radius_scale = *config.number("heat_radius_scale");
    if (later("heat_stops")) heat.stops = stops_setting(config, "heat_stops");
    if (later("heat_trail_turns")) heat.trail_turns = *config.integer("heat_trail_turns");
    if (later("heat_trail_shrink")) heat.trail_shrink = *config.number("heat_trail_shrink");
    BboxHeat& boxes = profile.bbox_heat;
    if (later("bbox_heat")) boxes.enabled = config.boolean("bbox_heat");
    if (later("bbox_border")) boxes.border = *winio::parse_rgba(*config.text("bbox_border"));
    if (later("bbox_border_width")) boxes.border_width = *config.integer("bbox_border_width");
    if (later("bbox_fill_stops")) boxes.fill_stops = stops_setting(config, "bbox_fill_stops");
}

} // namespace

void apply(const Config& config, Profile& profile) {
    const auto later = [&](std::string_view name) {
        const ConfigEntry* entry = config.find(name);
        return entry != nullptr && entry->layer > ConfigLayer::profile;
    };
    const auto sample = [&](vlm::Sampling& sampling) {
        if (later("temperature")) sampling.temperature = config.number("temperature");
        if (later("top_p")) sampling.top_p = config.number("top_p");
        if (later("max_tokens")) sampling.max_tokens = config.integer("max_tokens");
        if (sampling.max_tokens && *sampling.max_tokens <= 0) sampling.max_tokens.reset();
        if (later("reasoning_effort"))
            sampling.reasoning_effort =
                vlm::parse_reasoning_effort(*config.text("reasoning_effort"));
        if (later("image_detail"))
            sampling.image_detail = vlm::parse_image_detail(*config.text("image_detail"));
        if (later("thinking_tokens")) sampling.thinking_tokens = config.integer("thinking_tokens");
        if (sampling.thinking_tokens && *sampling.thinking_tokens < 0)
            sampling.thinking_tokens.reset();
    };
    const auto count = [&](std::string_view name, std::size_t& into) {
        if (later(name)) into = static_cast<std::size_t>(*config.integer(name));
    };
    if (later("model")) profile.model = *config.text("model");
    const ModeFactory& mode = mode_of(profile);
    for (vlm::Sampling* sampling : mode.samplings(profile)) sample(*sampling);
    if (later("text_tool_calls"))
        profile.text_tool_calls =
            meaning_of(*config.text("text_tool_calls"), text_tool_calls_words());
    // "auto" is empty: the model decides.
    if (later("coordinates"))
        profile.coordinates = parse_coordinate_convention(*config.text("coordinates"));
    if (later("dialect")) profile.dialect = *parse_dialect(*config.text("dialect"));
    if (later("refine")) profile.refine = meaning_of(*config.text("refine"), refine_words());
    if (later("max_turns")) profile.max_turns = *config.integer("max_turns");
    if (later("step_delay")) profile.step_delay = *config.duration("step_delay");
    profile.image = image_size_setting(config).size;
    if (later("image_format") || later("image_quality"))
        profile.image_format = image_format_setting(config);
    count("keep_screenshots", profile.screenshots.keep);
    count("drop_screenshots", profile.screenshots.batch);
    count("keep_thinks", profile.thinks.keep);
    count("drop_thinks", profile.thinks.batch);
    // The model needs the current screenshot. Without older ones to keep, none waits for a batch.
    if (profile.screenshots.keep == 0) profile.screenshots = {1, 1};
    if (later("keep_thinks") && profile.thinks.keep == 0 && !later("drop_thinks"))
        profile.thinks.batch = 1;
    apply_heat(config, later, profile);
    if (later("physical_execution"))
        profile.physical_execution = config.boolean("physical_execution");
    if (later("capture_delay")) profile.pace.capture_delay = *config.duration("capture_delay");
    if (later("action_delay")) profile.pace.action_delay = *config.duration("action_delay");
    if (later("drag_steps")) profile.pace.drag_steps = *config.integer("drag_steps");
    if (later("drag_step_delay"))
        profile.pace.drag_step_delay = *config.duration("drag_step_delay");
    if (later("type_delay")) profile.pace.type_delay = *config.duration("type_delay");
    if (later("log_to_file")) profile.log.to_file = config.boolean("log_to_file");
    if (later("log_level"))
        profile.log.level = meaning_of(*config.text("log_level"), log_level_words());
    const auto options = mode.options(profile);
    if (options.contains("boot") && later("boot_enabled") && !config.boolean("boot_enabled"))
        mode.set_option(profile, "boot", {});
    for (const auto& [name, value] : options) {
        if (config.settings().find(name) == nullptr || !later(name)) continue;
        if (name == "boot" && later("boot_enabled") && !config.boolean("boot_enabled")) continue;
        const ConfigEntry& entry = *config.find(name);
        try {
            mode.set_option(profile, name, to_string(*entry.setting, entry.value));
        } catch (const Error& error) {
            refuse(fmt::format("{}: {}", entry.source, error.what()));
        }
    }
    if (mode.traits().stores_replies && later("log_layout"))
        profile.log.layout = meaning_of(*config.text("log_layout"), log_layout_words());
}

std::vector<Setting> effective_settings(const Config& config) {
    std::vector<Setting> all;
    const ImageSizeSetting shown = image_size_setting(config);
    const winio::ImageFormat format = image_format_setting(config);
    const winio::AreaChoice area = area_setting(config);
    for (const ConfigEntry& entry : config.entries()) {
        const std::string name(entry.setting->name);
        if (name == "display" && area.window) continue;
        if (name == "window" && !area.window) continue;
        if (name == "image_quality" && !winio::quality_of(format)) continue;
        if (name == "image_exact" || name == "image_width" || name == "image_height") continue;
        if (name == "image")
            all.push_back({name, winio::to_string(shown.size), shown.source});
        else if (name == "endpoint") // the query may contain a key
            all.push_back({name,
                           std::get<std::string>(entry.value)
                               .substr(0, std::get<std::string>(entry.value).find('?')),
                           entry.source});
        else if (entry.setting->kind == Kind::seconds)
            all.push_back(
                {name + "_ms", fmt::format("{}", config.duration(name)->count()), entry.source});
        else
            all.push_back({name, to_string(*entry.setting, entry.value), entry.source});
    }
    return all;
}

std::vector<ConfigEntry> config_from_settings(std::span<const Setting> kept_settings,
                                              const std::string& where,
                                              const SettingRegistry& settings) {
    constexpr std::string_view milliseconds = "_ms";
    std::vector<ConfigEntry> entries;
    for (const Setting& kept : kept_settings) {
        const SettingSpec* setting = settings.find(kept.name);
        std::string value = kept.value;
        const std::string named = fmt::format("{}: \"{}\"", where, kept.name);
        if (setting == nullptr && kept.name.ends_with(milliseconds)) {
            setting = settings.find(kept.name.substr(0, kept.name.size() - milliseconds.size()));
            if (setting == nullptr || setting->kind != Kind::seconds) continue;
            std::int64_t ms = 0;
            const char* const end = value.data() + value.size();
            const auto [stopped, error] = std::from_chars(value.data(), end, ms);
            if (error != std::errc{} || stopped != end)
                refuse(fmt::format("{} is \"{}\"; it must be a whole number", named, value));
            value = fmt::format("{}", static_cast<double>(ms) / 1000);
        }
        const bool has_value = !value.empty() || (setting && setting->kind == Kind::prefix);
        if (setting == nullptr || setting->kind == Kind::secret || setting->kind == Kind::object ||
            !has_value)
            continue;
        entries.push_back(entry_of(*setting, value, ConfigLayer::scenario, kept.source, named));
    }
    return entries;
}

ScreenshotNames screenshot_names(const Config& config, const Profile& profile) {
    ScreenshotNames names;
    names.prefix = *config.text("screenshot_prefix");
    names.offset = *config.integer("screenshot_start") - 1;
    names.offset = std::max(names.offset, -mode_of(profile).traits().first_screenshot);
    return names;
}

} // namespace eyehand::session
