#include "site.hpp"

#include "base/text.hpp"
#include "embedded.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/base/folder_file.hpp"
#include "eyehand/winio/image_file.hpp"
#include "page_files.hpp"
#include "page_json.hpp"
#include "page_state.hpp"
#include "posted_screenshot.hpp"
#include "record/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace eyehand::panel {
namespace {

constexpr const char* json_type = "application/json; charset=utf-8";

Reply json_reply(const json::object& object, unsigned status = 200) {
    return {.status = status, .type = json_type, .body = agent::to_text(object)};
}
Reply failed(unsigned status, std::string_view error) {
    return json_reply({{"ok", false}, {"error", agent::to_valid_utf8(error)}}, status);
}
Reply done() { return json_reply({{"ok", true}}); }

Reply not_found() { return {.status = 404, .body = "not found\n"}; }
Reply wrong_method(const char* allowed) {
    return {.status = 405, .body = "method not allowed\n", .fields = {{"Allow", allowed}}};
}

// ---- the page's files ---------------------------------------------------------------------------

/// Nullptr if the path is not a file of the page.
const agent::EmbeddedFile* page_file(std::string_view path) {
    if (path.empty()) return nullptr;
    return page::find_file(path == "/" ? "index.html" : path.substr(1));
}

std::string type_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, const char*>, 5> types{
        {{".html", "text/html; charset=utf-8"},
         {".css", "text/css; charset=utf-8"},
         {".js", "text/javascript; charset=utf-8"},
         {".json", json_type},
         {".svg", "image/svg+xml"}}};
    for (const auto& [ending, type] : types)
        if (name.ends_with(ending)) return type;
    return "text/plain; charset=utf-8";
}

// ---- the constants of a run ---------------------------------------------------------------------

/// Zeros if the size depends on the screen.
winio::Size given_size(const winio::ImageSize& size) {
    if (const auto* exact = std::get_if<winio::ExactSize>(&size)) return exact->size;
    if (const auto* fit = std::get_if<winio::FitWithin>(&size)) return fit->box;
    return {};
}

/// A run without run.json, before its first command, has no "version".
json::object config_of(const ShownRun& run) {
    try {
        agent::StoredRun stored = agent::load_run(run.directory());
        stored.summary.profile = run.profile(); // including a custom mode of the program
        return page::config_json(stored,
                                 base::read_in_folder(run.directory(), agent::calibration_name,
                                                      agent::max_calibration_bytes));
    } catch (const agent::Error&) {
        return page::config_json(run.profile());
    }
}

// ---- events -------------------------------------------------------------------------------------

std::string event(std::string_view name, const json::object& data) {
    return fmt::format("event: {}\ndata: {}\n\n", name, agent::to_text(data));
}

/// The text that `later` appends to `earlier`; nothing if `later` does not begin with it.
std::optional<std::string> added(const std::string& earlier, const std::string& later) {
    if (!later.starts_with(earlier)) return std::nullopt;
    return later.substr(earlier.size());
}

json::array turns_of(const PageState& state) {
    json::array turns;
    for (std::size_t i = 0; i < state.view().turn_count(); ++i)
        turns.push_back(state.to_json(state.view().turn(i)));
    return turns;
}

class StateStream final : public Stream {
public:
    explicit StateStream(const RunSite& site) : site_(site) {}

    std::optional<std::string> next() override {
        const auto run = site_.run();
        auto now = run ? run->state() : std::make_shared<const PageState>();
        const auto before = std::exchange(told_, now);
        if (!before || before->run() != now->run()) return event("state", whole(*now));
        if (before->seq != now->seq) return event("state", since(*before, *now));
        if (before == now) return std::nullopt;
        return words(*before, *now);
    }

private:
    static json::object whole(const PageState& now) {
        json::object state = now.to_json();
        state["turns"] = turns_of(now);
        return state;
    }

    /// Contains only the changed turn, or all turns if several have changed.
    static json::object since(const PageState& before, const PageState& now) {
        // Snapshots share the turns that have not changed.
        std::set<const agent::TurnView*> known;
        for (std::size_t i = 0; i < before.view().turn_count(); ++i)
            known.insert(&before.view().turn(i));
        const agent::TurnView* changed = nullptr;
        for (std::size_t i = 0; i < now.view().turn_count(); ++i) {
            const agent::TurnView& turn = now.view().turn(i);
            if (known.contains(&turn)) continue;
            if (changed != nullptr) return whole(now);
            changed = &turn;
        }
        json::object state = now.to_json();
        state["turn_changed"] =
            changed == nullptr ? json::value() : json::value(now.to_json(*changed));
        return state;
    }

    static std::optional<std::string> words(const PageState& before, const PageState& now) {
        const auto text = added(before.view().streamed_text(), now.view().streamed_text());
        const auto reasoning =
            added(before.view().streamed_reasoning(), now.view().streamed_reasoning());
        if (!text || !reasoning) return event("state", since(before, now));
        if (text->empty() && reasoning->empty()) return std::nullopt;
        return event("delta", {{"run", now.run()},
                               {"turn", now.words_turn()},
                               {"text", *text},
                               {"reasoning", *reasoning}});
    }

    const RunSite& site_;
    std::shared_ptr<const PageState> told_;
};

// ---- posts --------------------------------------------------------------------------------------

/// The members of a request's body. A member of the wrong type counts as absent.
class Post {
public:
    explicit Post(json::object members) : members_(std::move(members)) {}

    [[nodiscard]] const std::string* text(std::string_view name) {
        const json::value* value = members_.if_contains(name);
        if (value == nullptr || !value->is_string()) return nullptr;
        text_ = agent::to_valid_utf8({value->get_string().data(), value->get_string().size()});
        return &text_;
    }
    /// The unchanged bytes of a text that is not displayed.
    [[nodiscard]] std::optional<std::string_view> bytes(std::string_view name) const {
        const json::value* value = members_.if_contains(name);
        if (value == nullptr || !value->is_string()) return std::nullopt;
        return std::string_view(value->get_string().data(), value->get_string().size());
    }
    [[nodiscard]] std::optional<std::int64_t> whole(std::string_view name) const {
        const json::value* value = members_.if_contains(name);
        if (value == nullptr) return std::nullopt;
        json::error_code error;
        const auto number = value->to_number<std::int64_t>(error);
        return error ? std::nullopt : std::optional(number);
    }
    [[nodiscard]] std::optional<bool> truth(std::string_view name) const {
        const json::value* value = members_.if_contains(name);
        if (value == nullptr || !value->is_bool()) return std::nullopt;
        return value->get_bool();
    }
    [[nodiscard]] bool has(std::string_view name) const { return members_.contains(name); }

private:
    json::object members_;
    std::string text_;
};

Reply wrong(std::string_view what) { return failed(400, what); }
Reply no_longer() { return failed(409, "the run has ended, or this panel cannot control it"); }

Reply received(agent::SubmitResult reception) {
    switch (reception) {
    case agent::SubmitResult::accepted:
        return done();
    case agent::SubmitResult::not_expected:
        return failed(409, "the run does not expect this");
    case agent::SubmitResult::outdated:
        return failed(409, "the request is for another turn");
    case agent::SubmitResult::too_long:
        return failed(413, fmt::format("the text is longer than {} bytes",
                                       agent::RunControl::max_message_bytes));
    case agent::SubmitResult::too_many:
        return failed(429, fmt::format("{} messages already wait for the run: try again later",
                                       agent::RunControl::max_waiting_messages));
    case agent::SubmitResult::run_ended:
        break;
    }
    return no_longer();
}

/// Commands without arguments.
template <void (agent::RunControl::*Do)()>
Reply carry_out(ShownRun& run, Post&) {
    run.with_control([](agent::RunControl& control) {
        (control.*Do)();
        return true;
    });
    return done();
}

Reply stop(ShownRun& run, Post& post) {
    if (post.has("now") && !post.truth("now")) return wrong("\"now\" must be true or false");
    const bool now = post.truth("now").value_or(false);
    constexpr const char* reason = "stopped in the panel";
    run.with_control([&](agent::RunControl& control) {
        if (now)
            control.stop_now(reason);
        else
            control.stop(reason);
        return true;
    });
    return done();
}

Reply tell(ShownRun& run, Post& post) {
    const std::string* text = post.text("text");
    if (text == nullptr || agent::trim(*text).empty())
        return wrong("\"text\" must be a non-empty string");
    const auto reception =
        run.with_control([&](agent::RunControl& control) { return control.send_message(*text); });
    return received(reception.value_or(agent::SubmitResult::run_ended));
}

Reply inject(ShownRun& run, Post& post) {
    const std::string* text = post.text("vlm_text");
    if (text == nullptr || agent::trim(*text).empty())
        return wrong("\"vlm_text\" must be a non-empty string");
    const auto reception =
        run.with_control([&](agent::RunControl& control) { return control.inject(*text); });
    return received(reception.value_or(agent::SubmitResult::run_ended));
}

Reply decide(ShownRun& run, Post& post) {
    const auto id = post.whole("id");
    const auto granted = post.truth("granted");
    if (!id || *id < 1) return wrong("\"id\" must be the number of a question");
    if (!granted) return wrong("\"granted\" must be true or false");
    const std::string* reason = post.text("why");
    if (reason == nullptr && post.has("why")) return wrong("\"why\" must be a string");
    const agent::Approval approval{*granted, reason == nullptr ? std::string() : *reason, "panel"};
    const auto taken = run.with_control([&](agent::RunControl& control) {
        return control.resolve(static_cast<std::uint64_t>(*id), approval);
    });
    return taken.value_or(false) ? done() : failed(409, "no question with this number is pending");
}

Reply annotated(ShownRun& run, Post& post) {
    const auto seq = post.whole("seq");
    if (!seq) return wrong("\"seq\" must be the turn's number");
    // Checks the turn first: a screenshot of another turn need not be decoded.
    const auto waiting =
        run.with_control([](const agent::RunControl& control) { return control.status(); });
    if (!waiting) return no_longer();
    if (!waiting->annotation_request) return received(agent::SubmitResult::not_expected);
    if (waiting->annotation_request->turn != *seq) return received(agent::SubmitResult::outdated);
    const auto base64 = post.bytes("image_b64");
    if (!base64) return wrong("\"image_b64\" must be a PNG file as base64");
    PostedScreenshot screenshot =
        read_posted_screenshot(*base64, waiting->annotation_request->size);
    if (!screenshot.problem.empty()) return wrong(screenshot.problem);
    const auto reception = run.with_control([&](agent::RunControl& control) {
        return control.annotate(static_cast<int>(*seq), std::move(screenshot.png));
    });
    return received(reception.value_or(agent::SubmitResult::run_ended));
}

struct Route {
    std::string_view path;
    Reply (*open)(ShownRun&, Post&);
};
constexpr std::array<Route, 8> routes{{{"/pause", carry_out<&agent::RunControl::pause>},
                                       {"/resume", carry_out<&agent::RunControl::resume>},
                                       {"/step", carry_out<&agent::RunControl::step>},
                                       {"/stop", stop},
                                       {"/tell", tell},
                                       {"/decide", decide},
                                       {"/inject", inject},
                                       {"/annotated", annotated}}};

const Route* route_at(std::string_view path) {
    const auto found = std::find_if(routes.begin(), routes.end(),
                                    [&](const Route& route) { return route.path == path; });
    return found == routes.end() ? nullptr : &*found;
}

bool is_json(std::string_view content_type) {
    const std::string_view type = agent::trim(content_type.substr(0, content_type.find(';')));
    return agent::equals_ignoring_case(type, "application/json");
}

} // namespace

void RunSite::show(std::shared_ptr<ShownRun> run) {
    const std::lock_guard lock(mutex_);
    run_ = std::move(run);
}

std::shared_ptr<ShownRun> RunSite::run() const {
    const std::lock_guard lock(mutex_);
    return run_;
}

Protection RunSite::protection(std::string_view path) const {
    if (page_file(path) != nullptr) return Protection::none;
    if (is_stream(path)) return Protection::events;
    return path.starts_with("/picture/") ? Protection::pictures : Protection::token;
}

std::uint64_t RunSite::max_body(std::string_view path) const {
    return path == "/annotated" ? limits_.screenshot_bytes : limits_.body_bytes;
}

bool RunSite::is_stream(std::string_view path) const { return path == "/events"; }

std::unique_ptr<Stream> RunSite::open_stream() { return std::make_unique<StateStream>(*this); }

void RunSite::look() {
    if (const auto shown = run()) shown->follow();
}

Reply RunSite::answer(const Request& request) {
    if (route_at(request.path) != nullptr)
        return request.method == "POST" ? post(request) : wrong_method("POST, OPTIONS");
    Reply reply = get(request);
    if (reply.status == 404 || request.method == "GET") return reply;
    return wrong_method("GET, HEAD, OPTIONS");
}

Reply RunSite::get(const Request& request) {
    if (const agent::EmbeddedFile* file = page_file(request.path))
        return {.type = type_of(file->name), .body = std::string(file->text)};
    if (request.path == "/config") return config();
    if (request.path == "/state") return state(request);
    if (request.path.starts_with("/picture/")) return screenshot(request.path);
    if (request.path.starts_with("/prompt/")) return prompt(request.path);
    if (is_stream(request.path)) return {};
    return not_found();
}

Reply RunSite::config() const {
    const auto shown = run();
    const agent::Profile profile = shown ? shown->profile() : agent::Profile();
    const winio::Size size = shown ? given_size(profile.image) : winio::Size();
    json::object config = shown ? config_of(*shown) : page::config_json(profile);
    config["capture_width"] = size.width;
    config["capture_height"] = size.height;
    config["annotate"] = shown && shown->annotation() == agent::Source::client ? "panel" : "native";
    config["run"] = shown ? shown->id() : std::string();
    config["live"] = shown && shown->state()->live();
    if (!tokens_.all.empty())
        config["url_tokens"] =
            json::object{{"events", tokens_.events}, {"pictures", tokens_.pictures}};
    return json_reply(config);
}

Reply RunSite::state(const Request& request) {
    const auto shown = run();
    const auto now = shown ? shown->state() : std::make_shared<const PageState>();
    json::object state = now->to_json();
    state["turns"] = turns_of(*now);
    if (shown && web::parameter(request.query, "raw") != "0") {
        std::shared_ptr<const std::vector<std::uint8_t>> raw;
        if (const auto& wanted = now->wanted())
            raw = wanted->file;
        else if (const auto screenshot = now->view().screenshot())
            raw = shown->screenshot(screenshot->index, ShownRun::Kind::raw);
        if (raw) state["raw_b64"] = base::to_base64(*raw);
    }
    return json_reply(state);
}

/// "/picture/RUN/N" or "/picture/RUN/N/raw"
Reply RunSite::screenshot(std::string_view path) const {
    const auto shown = run();
    if (!shown) return not_found();
    const std::string prefix = "/picture/" + shown->id() + "/";
    if (!path.starts_with(prefix)) return not_found();
    path.remove_prefix(prefix.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (error != std::errc()) return not_found();
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    if (!path.empty() && path != "/raw") return not_found();
    const auto bytes =
        shown->screenshot(number, path.empty() ? ShownRun::Kind::shown : ShownRun::Kind::raw);
    if (!bytes) return not_found();
    const auto format = winio::image_format_of(*bytes).value_or(winio::PngOptions{});
    return {.type = std::string(winio::media_type(format)),
            .body = std::string(bytes->begin(), bytes->end())};
}

/// "/prompt/RUN/HASH"
Reply RunSite::prompt(std::string_view path) const {
    const auto shown = run();
    const std::string prefix = shown ? "/prompt/" + shown->id() + "/" : std::string();
    if (!shown || !path.starts_with(prefix)) return not_found();
    auto text = shown->prompt(path.substr(prefix.size()));
    if (!text) return not_found();
    return {.body = agent::to_valid_utf8(*text)};
}

Reply RunSite::post(const Request& request) {
    if (access_ == PanelAccess::with_token && !is_json(request.content_type))
        return failed(415, "the request must be JSON (Content-Type: application/json)");
    json::object members;
    if (!agent::trim(request.body).empty()) {
        auto body = agent::parse_json(request.body);
        if (!body || !body->is_object()) return wrong("the request is not a JSON object");
        members = std::move(body->get_object());
    }
    const auto shown = run();
    if (const json::value* named = members.if_contains("run")) {
        if (!named->is_string()) return wrong("\"run\" must be a string");
        if (!shown || named->get_string() != shown->id())
            return failed(409, "the request is for another run");
    }
    if (!shown || !shown->state()->live()) return no_longer();
    Post post(std::move(members));
    return route_at(request.path)->open(*shown, post);
}

} // namespace eyehand::panel
