#include "desktop/call_record.hpp"

#include "desktop/run_files.hpp"
#include "desktop/session_mode.hpp"
#include "desktop/session_tools.hpp"
#include "eyehand/winio/error.hpp"
#include "json/json.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <istream>
#include <string_view>
#include <utility>

namespace eyehand::mcp {
namespace {

namespace json = agent::json;

json::value number_value(double value) {
    if (const auto whole = static_cast<std::int64_t>(value); static_cast<double>(whole) == value)
        return whole;
    return value;
}

template <std::size_t size>
json::array list_of(const std::array<double, size>& numbers) {
    json::array list;
    for (const double number : numbers) list.push_back(number_value(number));
    return list;
}

/// The numbers in which the client states and reads positions, for one image.
class Numbers {
public:
    Numbers(const agent::Profile& profile, const agent::Observed& image)
        : area_(image.area), work_area_(image.zoomed ? image.zoomed->work_area : image.area),
          numbers_(agent::coordinate_converter(profile)
                       .value_or(agent::CoordinateConverter(agent::CoordinateConvention::norm1000,
                                                            image.size))
                       .with_image(image.size)) {}

    /// Nothing for a rectangle that the image does not show.
    [[nodiscard]] std::optional<json::array> box(const winio::Rect& rect) const {
        const winio::Rect part = winio::intersection(rect, area_.bounds());
        if (part.empty()) return std::nullopt;
        const winio::NormPoint first = area_.to_norm(part.origin());
        const winio::NormPoint last = area_.to_norm({part.right() - 1, part.bottom() - 1});
        return list_of(numbers_.to_list(winio::NormBox{first.x, first.y, last.x, last.y}));
    }
    [[nodiscard]] json::array boxes(const std::vector<winio::Rect>& rects) const {
        json::array all;
        for (const winio::Rect& rect : rects)
            if (auto one = box(rect)) all.push_back(*std::move(one));
        return all;
    }
    /// A position in 0 to 1000 of the work area.
    [[nodiscard]] std::optional<json::array> point(winio::NormPoint at) const {
        const winio::Point pixel = work_area_.to_pixel(at);
        if (!area_.contains(pixel)) return std::nullopt;
        return list_of(numbers_.to_list(area_.to_norm(pixel)));
    }

private:
    winio::WorkArea area_;
    winio::WorkArea work_area_;
    agent::CoordinateConverter numbers_;
};

json::array array_of(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

std::string media_type_of_name(const std::string& file) {
    if (file.ends_with(".jpg")) return "image/jpeg";
    return file.ends_with(".webp") ? "image/webp" : "image/png";
}

/// Empty if the file cannot be read.
std::vector<std::uint8_t> bytes_of(const agent::RunStore& store, const std::string& name) {
    std::vector<std::uint8_t> bytes;
    const auto in = store.open_read(name);
    if (!in) return bytes;
    std::array<char, 65536> some{};
    while (in->read(some.data(), some.size()) || in->gcount() > 0)
        bytes.insert(bytes.end(), some.data(), some.data() + in->gcount());
    return bytes;
}

void add_image(CallResult& result, const agent::RunStore& store, const agent::Observed& image) {
    if (auto bytes = bytes_of(store, image.file); !bytes.empty())
        result.content.emplace_back(Image{std::move(bytes), media_type_of_name(image.file)});
}

/// Empty if they cannot be listed at the moment: the screenshot says more.
json::array displays_now(winio::Desktop& desktop) {
    try {
        return displays_json(desktop);
    } catch (const winio::Error&) {
        return {};
    }
}

CallResult failure(const std::string& tool, const std::string& type, const std::string& message) {
    json::object told;
    if (is_acting(tool)) told["effect"] = "refused";
    told["error"] = json::object{{"type", type}, {"message", message}};
    CallResult result;
    result.structured_json = agent::to_text(told);
    result.content.emplace_back(Text{result.structured_json});
    result.is_error = true;
    return result;
}

/// The members of a tool's result besides "ok"; of a failure, "error".
void merge_result(json::object& into, const std::string& result_json) {
    const auto parsed = agent::parse_json(result_json);
    if (!parsed || !parsed->is_object()) return;
    for (const auto& [name, value] : parsed->as_object()) {
        if (name == "ok") continue;
        if (name == "windows" && value.is_string()) { // a list, which a result cannot contain
            const json::string& text = value.as_string();
            if (auto list = agent::parse_json({text.data(), text.size()})) {
                into[name] = *std::move(list);
                continue;
            }
        }
        into[name] = value;
    }
}

} // namespace

void CallRecord::begin(const ClientCall& call) {
    call_ = call;
    invoked_.reset();
    seen_.reset();
    parts_.clear();
    changed_.clear();
    unseen_.reset();
    effect_of_action_ = {};
    effect_.reset();
}

void CallRecord::add(const agent::Event& event) {
    agent::visit(
        event,
        [&](const agent::Observed& fact) {
            if (fact.refines())
                parts_.push_back(fact);
            else
                saw(fact, event.turn + 1);
        },
        [&](const agent::ObserveFailed& fact) { unseen_ = fact; },
        [&](const agent::Invoked& fact) {
            invoked_ = fact;
            effect_of_action_.invoked(fact);
            effect_ = fact.effect;
        },
        [&](const agent::UserMessage& fact) {
            constexpr std::size_t max_messages = 100;
            if (messages_.size() < max_messages) messages_.push_back(fact.text);
        },
        [](const auto&) {});
}

void CallRecord::saw(const agent::Observed& fact, int screenshot) {
    if (const auto effect = effect_of_action_.shown_by(fact)) effect_ = effect;
    changed_.insert(changed_.end(), fact.changed.begin(), fact.changed.end());
    history_.add(screenshot, fact.changed);
    seen_ = fact;
    seen_id_ = screenshot;
}

namespace {

bool has_arrived(const agent::Invoked& call, const agent::Observed& seen) {
    if (call.action.points.empty() || !seen.pointer) return true; // not known
    const winio::WorkArea area(seen.zoomed ? seen.zoomed->work_area : seen.area);
    const winio::Point wanted = area.to_pixel(call.action.points.back());
    const winio::Point is = area.to_pixel(*seen.pointer);
    return std::abs(wanted.x - is.x) <= 2 && std::abs(wanted.y - is.y) <= 2;
}

} // namespace

std::string CallRecord::effect() const {
    if (!invoked_ || !invoked_->ok) return "refused";
    if (effect_) return winio::to_string(*effect_);
    if (!seen_) return "unseen";
    if (invoked_->action.tool == "move_to")
        return has_arrived(*invoked_, *seen_) ? "confirmed" : "no_visible_change";
    const bool as_before = (seen_->still && !seen_->returned) || seen_->changed.empty();
    return as_before ? "no_visible_change" : "confirmed";
}

CallResult CallRecord::result() {
    json::object told;
    shows_ = false;
    const bool failed = invoked_ && !invoked_->ok;
    // A wait is over without a call of its tool if the screen had already changed.
    if (!invoked_ && !seen_)
        return failure(call_.tool, "desktop_failed",
                       unseen_ ? unseen_->message : "The call had no result.");
    if (is_acting(call_.tool)) told["effect"] = effect();
    const auto since = call_.tool == look_tool
                           ? since_of({.name = call_.tool, .arguments_json = call_.arguments_json})
                           : std::nullopt;
    const auto changed_since = since ? history_.since(*since) : std::nullopt;
    const auto wanted_parts =
        changed_since && seen_ ? parts_to_show(*changed_since, seen_->area) : std::nullopt;
    const bool only_parts = wanted_parts && parts_.size() == wanted_parts->size();

    CallResult result;
    result.is_error = failed;
    if (seen_) {
        shows_ = call_.wants_image && !only_parts;
        if (shows_) shown_ = seen_;
        const Numbers numbers(profile_, shown_.value_or(*seen_));
        told["changed"] = numbers.boxes(joined(changed_since.value_or(changed_), 8));
        told["settle_ms"] = seen_->settle.count();
        told["settled"] = seen_->end != "timeout" && seen_->end != "busy_timeout";
        if (seen_->pointer)
            if (auto at = numbers.point(*seen_->pointer)) told["pointer"] = *std::move(at);
        json::object screenshot{{"id", seen_id_}};
        if (shows_) {
            screenshot["width"] = seen_->size.width;
            screenshot["height"] = seen_->size.height;
            screenshot["area"] = array_of(seen_->area);
        }
        told["screenshot"] = std::move(screenshot);
        if (call_.tool == look_tool && !since) told["displays"] = displays_now(desktop_);
        if (only_parts) {
            json::array regions;
            for (std::size_t i = 0; i < parts_.size(); ++i)
                regions.push_back(
                    json::object{{"box", numbers.box(parts_[i].area).value_or(json::array())},
                                 {"width", parts_[i].size.width},
                                 {"height", parts_[i].size.height}});
            told["regions"] = std::move(regions);
        }
        if (shows_)
            add_image(result, store_, *seen_);
        else if (only_parts)
            for (const agent::Observed& part : parts_) add_image(result, store_, part);
    }
    if (invoked_) merge_result(told, invoked_->result_json);
    if (unseen_) told["look_error"] = unseen_->message;
    if (!messages_.empty()) {
        json::array words;
        for (std::string& message : messages_) words.emplace_back(std::move(message));
        told["user_messages"] = std::move(words);
        messages_.clear();
    }
    result.structured_json = agent::to_text(told);
    result.content.insert(result.content.begin(), Text{result.structured_json});
    return result;
}

CallResult CallRecord::result_of_end(const std::string& tool, const std::string& reason) {
    return failure(tool, "session_ended", "The session has ended: " + reason);
}

} // namespace eyehand::mcp
