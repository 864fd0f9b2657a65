#include "settings.hpp"

#include "environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cli {
namespace {

constexpr winio::Size default_box{1536, 864};
constexpr int most_steps = 1000000;
constexpr double a_day = 86400;

winio::NormBox parse_crop(const std::string& text) {
    std::array<double, 4> numbers{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [stopped, error] = std::from_chars(at, end, numbers[i]);
        const bool separated =
            i + 1 < numbers.size() ? stopped != end && *stopped == ',' : stopped == end;
        if (error != std::errc{} || !separated) {
            throw UsageError(fmt::format(
                "--crop is \"{}\"; it must be x1,y1,x2,y2 with numbers from 0 to 1000", text));
        }
        at = stopped == end ? end : stopped + 1;
    }
    const winio::NormBox crop{numbers[0], numbers[1], numbers[2], numbers[3]};
    const auto inside = [](double n) { return n >= 0 && n <= 1000; }; // not true of NaN, either
    if (!std::all_of(numbers.begin(), numbers.end(), inside) || crop.x1 >= crop.x2 ||
        crop.y1 >= crop.y2) {
        throw UsageError(fmt::format(
            "--crop is \"{}\"; it must be x1,y1,x2,y2 from 0 to 1000, with x1 < x2 and y1 < y2",
            text));
    }
    return crop;
}

std::string checked_key(const std::string& key) {
    if (!std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; })) {
        throw UsageError(
            "the environment variable EYEHAND_API_KEY holds a space, a control character or a "
            "character outside ASCII; copy the key again");
    }
    return key;
}

/// A file name's beginning; what would make a folder of it, or no file at all, is refused.
std::string checked_prefix(const std::string& prefix) {
    if (prefix.find_first_of("/\\:*?\"<>|") != std::string::npos) {
        throw UsageError(
            fmt::format("the environment variable AGENT_DUMP_PREFIX is \"{}\"; it must be a "
                        "file name's beginning, such as turn_",
                        prefix));
    }
    return prefix;
}

/// An endpoint as it may be shown: some services expect the key in the query.
std::string without_query(const std::string& endpoint) {
    return endpoint.substr(0, endpoint.find('?'));
}

winio::PictureSize parse_image(const ViewFlags& flags) {
    auto size = winio::parse_picture_size(flags.image);
    if (!size)
        throw UsageError(fmt::format("--image is \"{}\"; it must be WIDTHxHEIGHT such as 1536x864 "
                                     "(up to {} each), PERCENT%, or tokens:N",
                                     flags.image, winio::longest_picture_side));
    return *size;
}

/// The box or exact size of a picture, where it has one.
winio::Size* side_lengths(winio::PictureSize& image) {
    if (auto* fit = std::get_if<winio::FitWithin>(&image)) return &fit->box;
    if (auto* exact = std::get_if<winio::ExactSize>(&image)) return &exact->size;
    return nullptr;
}

struct ImageSetting {
    winio::PictureSize image;
    const char* source;
};

/// What the pictures of `otherwise` become by the variables and the flags.
ImageSetting image_size(const ViewFlags& flags, const winio::PictureSize& otherwise) {
    ImageSetting setting{otherwise, "profile"};
    const auto width = int_variable("AGENT_IMAGE_W", 1, winio::longest_picture_side);
    const auto height = int_variable("AGENT_IMAGE_H", 1, winio::longest_picture_side);
    if (!flags.image.empty()) {
        setting = {parse_image(flags), "--image"};
    } else if (width || height) {
        if (side_lengths(setting.image) == nullptr) setting.image = winio::FitWithin{default_box};
        winio::Size& size = *side_lengths(setting.image);
        size = {width.value_or(size.width), height.value_or(size.height)};
        setting.source = !height  ? "AGENT_IMAGE_W"
                         : !width ? "AGENT_IMAGE_H"
                                  : "AGENT_IMAGE_W, AGENT_IMAGE_H";
    }
    if (!flags.image_exact) return setting;
    const winio::Size* size = side_lengths(setting.image);
    if (size == nullptr)
        throw UsageError("--image-exact goes with a size such as --image 1536x864");
    return {winio::ExactSize{*size}, flags.image.empty() ? "--image-exact" : "--image"};
}

/// Collects values with their sources.
class Sources {
public:
    explicit Sources(std::vector<agent::Setting>& all) : all_(all) {}

    /// What counts of the profile's value, the environment's and the flag's.
    template <class T>
    void pick(const char* name, T& value, const char* variable,
              const std::optional<T>& from_environment, const char* flag = "",
              const std::optional<T>& from_flag = std::nullopt, const char* otherwise = "profile") {
        const char* source = otherwise;
        if (from_environment) {
            value = *from_environment;
            source = variable;
        }
        if (from_flag) {
            value = *from_flag;
            source = flag;
        }
        note(name, fmt::format("{}", value), source);
    }
    void note(std::string name, std::string value, std::string source) {
        all_.push_back({std::move(name), std::move(value), std::move(source)});
    }

private:
    std::vector<agent::Setting>& all_;
};

std::chrono::milliseconds seconds(double value) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
}

template <class T>
std::optional<T> given(const T& value) {
    return value == T{} ? std::nullopt : std::optional(value);
}

} // namespace

winio::AreaChoice area_choice(const ViewFlags& flags) {
    // A script's empty variable must not make an area of everything.
    const auto given = [](const char* flag, const std::optional<std::string>& value) {
        if (value && value->empty())
            throw UsageError(fmt::format("{} is empty; leave it out, or say which", flag));
        return value.has_value();
    };
    winio::AreaChoice choice;
    if (given("--display", flags.display)) choice.display = *flags.display;
    if (given("--window", flags.window)) choice.window = winio::WindowQuery{.title = *flags.window};
    if (given("--crop", flags.crop)) choice.crop = parse_crop(*flags.crop);
    return choice;
}

winio::WorkArea work_area(winio::Desktop& desktop, const winio::AreaChoice& choice) {
    try {
        return winio::choose_area(desktop, choice);
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("--crop: {}", error.what()));
    }
}

winio::PictureOptions picture_options(const ViewFlags& flags) {
    winio::PictureOptions options;
    options.size = image_size(flags, options.size).image;
    options.pointer = !flags.no_cursor;
    return options;
}

vlm::ClientOptions resolve(const EndpointFlags& flags) {
    vlm::ClientOptions client;
    if (const auto endpoint = text_variable("LMSTUDIO_ENDPOINT")) client.endpoint = *endpoint;
    if (flags.endpoint) client.endpoint = *flags.endpoint;
    if (const auto key = text_variable("EYEHAND_API_KEY")) client.api_key = checked_key(*key);
    if (const auto timeout = number_variable("LMSTUDIO_TIMEOUT", -a_day, a_day)) {
        client.timeout = seconds(*timeout);
    }
    return client;
}

std::string model_name(const EndpointFlags& flags, const std::string& fallback) {
    if (flags.model) return *flags.model;
    return text_variable("LMSTUDIO_MODEL").value_or(fallback);
}

RunSettings resolve(const RunFlags& flags) {
    RunSettings settings;
    settings.profile = agent::load_profile(flags.profile);
    settings.client = resolve(flags.server);
    settings.agent.area = area_choice(flags.view);
    settings.agent.with = flags.with;

    agent::Profile& profile = settings.profile;
    Sources sources(settings.agent.settings);
    sources.note("profile", flags.profile, flags.profile == "observer" ? "default" : "--profile");
    sources.note("endpoint", without_query(settings.client.endpoint),
                 flags.server.endpoint                ? "--endpoint"
                 : text_variable("LMSTUDIO_ENDPOINT") ? "LMSTUDIO_ENDPOINT"
                                                      : "default");
    sources.pick("model", profile.model, "LMSTUDIO_MODEL", text_variable("LMSTUDIO_MODEL"),
                 "--model", flags.server.model);
    sources.note("timeout_ms", fmt::format("{}", settings.client.timeout.count()),
                 text_variable("LMSTUDIO_TIMEOUT") ? "LMSTUDIO_TIMEOUT" : "default");
    sources.pick("max_steps", profile.max_steps, "AGENT_MAX_STEPS",
                 int_variable("AGENT_MAX_STEPS", 1, most_steps), "--max-steps", flags.max_steps);

    if (const auto value = number_variable("LMSTUDIO_TEMPERATURE", 0, 2)) {
        profile.sampling.temperature = *value;
        sources.note("temperature", fmt::format("{}", *value), "LMSTUDIO_TEMPERATURE");
    }
    if (const auto value = int_variable("LMSTUDIO_MAX_TOKENS", 1, 10000000)) {
        profile.sampling.max_tokens = *value;
        sources.note("max_tokens", fmt::format("{}", *value), "LMSTUDIO_MAX_TOKENS");
    }
    if (const auto value = number_variable("AGENT_STEP_DELAY", 0, 600)) {
        profile.step_delay = seconds(*value);
        sources.note("step_delay_ms", fmt::format("{}", profile.step_delay.count()),
                     "AGENT_STEP_DELAY");
    }
    if (const auto value = int_variable("AGENT_KEEP_LAST_SCREENSHOTS", 1, 1000)) {
        profile.screenshots.keep = static_cast<std::size_t>(*value);
        sources.note("keep_screenshots", fmt::format("{}", *value), "AGENT_KEEP_LAST_SCREENSHOTS");
    }
    if (const auto value = int_variable("AGENT_KEEP_LAST_THINKS", 1, 1000)) {
        profile.thinks.keep = static_cast<std::size_t>(*value);
        sources.note("keep_thinks", fmt::format("{}", *value), "AGENT_KEEP_LAST_THINKS");
    }

    const auto [image, image_source] = image_size(flags.view, profile.image);
    profile.image = image;
    sources.note("image", winio::to_string(image), image_source);
    if (flags.view.display) sources.note("display", *flags.view.display, "--display");
    if (flags.view.window) sources.note("window", *flags.view.window, "--window");
    if (flags.view.crop) sources.note("crop", *flags.view.crop, "--crop");

    std::string run_dir = "runs";
    sources.pick("run_dir", run_dir, "AGENT_DUMP_DIR", text_variable("AGENT_DUMP_DIR"), "--run-dir",
                 given(flags.run_dir), "default");
    settings.run_dir = std::u8string(run_dir.begin(), run_dir.end());
    settings.screenshots.prefix =
        checked_prefix(text_variable("AGENT_DUMP_PREFIX").value_or("turn_"));
    // The variable numbers the first screenshot, which is 1 without it.
    settings.screenshots.offset = int_variable("AGENT_DUMP_START", 0, 1000000).value_or(1) - 1;
    if (text_variable("AGENT_DUMP_PREFIX")) {
        sources.note("screenshot_prefix", settings.screenshots.prefix, "AGENT_DUMP_PREFIX");
    }
    if (text_variable("AGENT_DUMP_START")) {
        sources.note("screenshot_start", fmt::format("{}", settings.screenshots.offset + 1),
                     "AGENT_DUMP_START");
    }
    if (!flags.with.empty())
        sources.note("with", fmt::format("{}", fmt::join(flags.with, ", ")), "--with");
    return settings;
}

} // namespace cli
