// The panel's view of a run, and its control.
#include "stage.hpp"

#include "page_state.hpp"
#include "shown_run.hpp"

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/winio/image_file.hpp"

#include "eventually.hpp"

#include <condition_variable>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>

#ifndef _WIN32
#include <sys/stat.h>
#endif

using namespace eyehand;

namespace {

using namespace test;
using panel::Panel;

const char* const click = R"({"label":"OK","box":[300,400]})";

/// A model whose replies arrive in pieces, each when the test allows it.
class GatedModel final : public vlm::ChatModel {
public:
    struct Piece {
        vlm::Delta::Kind kind = vlm::Delta::Kind::text;
        std::string text{};
    };
    explicit GatedModel(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

    vlm::ChatReply reply(const vlm::ChatRequest&, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override {
        vlm::ChatReply reply;
        for (const Piece& piece : pieces_) {
            pass(stop);
            on_delta({piece.kind, piece.text});
            (piece.kind == vlm::Delta::Kind::text ? reply.text : reply.reasoning) += piece.text;
        }
        pass(stop);
        reply.finish = vlm::FinishReason::stop;
        return reply;
    }
    void let() {
        const std::lock_guard lock(mutex_);
        ++open_;
        changed_.notify_all();
    }

private:
    void pass(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (open_ == 0) {
            if (stop.stop_requested())
                throw vlm::Error(vlm::errc::cancelled, "the reply was canceled");
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
        --open_;
    }
    const std::vector<Piece> pieces_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int open_ = 0;
};

const json::object& turn_of(const json::object& state, int number) {
    for (const json::value& turn : state.at("turns").as_array())
        if (turn.at("turn") == number) return turn.as_object();
    throw std::runtime_error("the state has no such turn");
}

/// The items of this kind in a turn.
std::vector<json::object> items(const json::object& turn, std::string_view kind) {
    std::vector<json::object> all;
    for (const json::value& item : turn.at("items").as_array())
        if (item.at("kind").as_string() == kind) all.push_back(item.as_object());
    return all;
}

/// The model's text in the turn.
std::string words(const json::object& turn) {
    const auto replies = items(turn, "reply");
    return replies.empty() ? text_at(items(turn, "given_reply").at(0), "text")
                           : text_at(replies.at(0), "text");
}

bool has_question(const json::object& state) { return !state.at("questions").as_array().empty(); }

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

} // namespace

// ---- the view of a run --------------------------------------------------------------------------

TEST_CASE("a run can be read turn by turn") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.call("click_element", click, "I click OK.")
        .call("observe_screen", "{}")
        .reply_with({.text = "It is done.",
                     .reasoning = "Nothing is left.",
                     .usage = {.prompt_tokens = 120, .completion_tokens = 7},
                     .total = std::chrono::milliseconds(45)});
    agent::Profile profile = agent::load_profile("observer");
    profile.image = winio::FitWithin{{768, 432}}; // smaller than the screen
    PanelRun run(panel, profile, model);
    run.start("press OK");
    CHECK(run.result().outcome == agent::Outcome::completed);

    const json::object state = client.state();
    CHECK(text_at(state, "phase") == "finished");
    CHECK(text_at(state, "task") == "press OK");
    CHECK(text_at(state, "profile") == "observer");
    CHECK(text_at(state, "mode") == "conversation");
    CHECK(state.at("outcome").at("outcome") == "completed");
    CHECK(state.at("outcome").at("why") == "It is done.");
    CHECK(state.at("outcome").at("turns") == 3);
    CHECK(state.at("outcome").at("completion_tokens") == 7);
    CHECK_FALSE(state.at("live").as_bool());
    CHECK(state.at("raw_b64").is_null());
    REQUIRE(state.at("turns").as_array().size() == 3);
    const json::object& first = turn_of(state, 1);
    CHECK(words(first) == "I click OK.");
    const json::object call = items(first, "call").at(0);
    CHECK(text_at(call, "tool") == "click_element");
    CHECK(text_at(call, "arguments") == click);
    CHECK(call.at("ok") == true);
    CHECK(call.at("points") == json::array{json::array{300, 400}});
    CHECK(call.at("act_ms").is_number());
    CHECK(state.at("targets").as_array().empty()); // the latest one has no target
    const json::object& third = turn_of(state, 3);
    const json::object said = items(third, "reply").at(0);
    CHECK(text_at(said, "reasoning") == "Nothing is left.");
    CHECK(said.at("prompt_tokens") == 120);
    CHECK(said.at("cached_tokens").is_null());
    CHECK(said.at("model_ms") == 45);
    CHECK(third.at("seen").at("settle_ms").is_number());

    // The images are the files of the run.
    const std::string url = text_at(state.at("picture").as_object(), "url");
    CHECK(url == "/picture/" + text_at(state, "run") + "/2");
    CHECK(state.at("picture").at("width") == 432);
    const Answer screenshot = client.get(url);
    CHECK(screenshot.field("content-type") == "image/png");
    CHECK(screenshot.field("cache-control") == "no-store");
    CHECK(screenshot.body == read_file(run.path() / "screenshots/turn_0003.png"));
    CHECK(client.get(text_at(first.at("seen").as_object(), "url")).body ==
          read_file(run.path() / "screenshots/turn_0001.png"));
    CHECK(client.get(url + "/raw").body == screenshot.body);
    for (const std::string& wrong : {url + "0", url + "/rough", url + "/", url + "/../1"})
        CHECK(client.get(wrong).status == 404);
    CHECK(client.get("/picture/" + text_at(state, "run") + "/0").status == 404);
    CHECK_FALSE(client.get("/state").object().at("raw_b64").as_string().empty());
}

TEST_CASE("screenshots are served in the format of the run") {
    std::vector<winio::ImageFormat> formats{winio::JpegOptions{}};
    if (winio::is_supported(winio::WebpOptions{})) formats.emplace_back(winio::WebpOptions{});
    for (const winio::ImageFormat& format : formats) {
        Panel panel;
        const Client client(panel.url());
        vlm::testing::ScriptedModel model;
        model.say("It is done.");
        agent::Profile profile = agent::load_profile("observer");
        profile.image_format = format;
        PanelRun run(panel, profile, model);
        run.start("look");
        CHECK(run.result().outcome == agent::Outcome::completed);
        const std::string url = text_at(client.state().at("picture").as_object(), "url");
        const Answer screenshot = client.get(url);
        CHECK(screenshot.field("content-type") == winio::media_type(format));
        CHECK(screenshot.body ==
              read_file(run.path() /
                        ("screenshots/turn_0001" + std::string(winio::file_extension(format)))));
    }
}

TEST_CASE("text and reasoning can be read while they arrive") {
    Panel panel;
    const Client client(panel.url());
    GatedModel model({{vlm::Delta::Kind::reasoning, "Let me see."},
                      {vlm::Delta::Kind::text, "It "},
                      {vlm::Delta::Kind::text, "is dön\xff\xc3"}}); // invalid UTF-8 is replaced
    PanelRun run(panel, agent::load_profile("observer"), model);
    Follower follower(client);
    run.start();
    follower.until_phase("calling_model");
    model.let();
    follower.until(
        [](const json::object& state) { return state.at("reasoning") == "Let me see."; });
    model.let();
    follower.until([](const json::object& state) { return state.at("text") == "It "; });
    model.let();
    follower.until([](const json::object& state) {
        return state.at("text") == "It is dön\xEF\xBF\xBD\xEF\xBF\xBD";
    });
    CHECK(follower.deltas() == 3);
    CHECK(follower.state().at("text") == client.state().at("text"));
    model.let();
    const json::object& state = follower.until_phase("finished");
    CHECK(text_at(state, "text").empty());
    CHECK(words(turn_of(state, 1)) == "It is dön\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("the events add up to the state") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    for (int i = 0; i < 20; ++i)
        model.call("click_element", R"({"label":"OK","box":[)" + std::to_string(40 * i) + ",400]}");
    model.say("done");
    agent::Profile profile = agent::load_profile("observer");
    profile.max_turns = 30;
    PanelRun run(panel, profile, model);
    Follower follower(client);
    run.start();
    json::object added = follower.until_phase("finished");
    run.leave();
    added = follower.until([](const json::object& state) { return !state.at("live").as_bool(); });
    const json::object whole = client.state();
    follower.until([&](const json::object& state) { return state.at("seq") == whole.at("seq"); });
    added = follower.state();
    added.erase("turn_changed");
    CHECK(added.at("turns").as_array().size() == 21);
    CHECK(added == whole);
}

TEST_CASE("a long run shows its last turns and has all of its screenshots") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    for (int i = 0; i < 59; ++i) model.call("observe_screen", "{}");
    model.say("done");
    agent::Profile profile = agent::load_profile("observer");
    profile.max_turns = 60;
    PanelRun run(panel, profile, model);
    run.start();
    CHECK(run.result().turns == 60);
    const json::object state = client.state();
    CHECK(state.at("turns").as_array().size() == 50);
    CHECK(state.at("turns").at(0).at("turn") == 11);
    CHECK(client.get("/picture/" + text_at(state, "run") + "/1").status == 200);
}

TEST_CASE("a team's plan, brief, phase and memory are shown") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model
        .call("spawn_operator", R"({"operator_instructions":"Click OK.","rationale":"x"})",
              "First OK.")
        .call("click_element", R"({"justification":"x","label":"OK","position":[300,400]})");
    agent::Profile profile = agent::load_profile("commander");
    profile.max_turns = 2;
    PanelRun run(panel, profile, model);
    run.start();
    CHECK(run.result().outcome == agent::Outcome::steps_used_up);
    const json::object state = client.state();
    CHECK(text_at(state, "mode") == "team");
    CHECK(text_at(state, "plan") == "First OK.");
    CHECK(text_at(state, "brief") == "Click OK.");
    CHECK(state.at("memory").at("active") == 1);
    CHECK(text_at(turn_of(state, 1), "role") == "commander");
    CHECK(text_at(turn_of(state, 2), "role") == "operator");
    CHECK(text_at(turn_of(state, 2), "phase") == "EXECUTION");
}

TEST_CASE("texts from the screen and the model are never markup") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    const std::string evil = "</script><script>alert(1)</script>\r\n\r\nevent: state\ndata: {}\n\n";
    model.say(evil);
    PanelRun run(panel, agent::load_profile("observer"), model);
    Follower follower(client);
    run.start(evil);
    const json::object& state = follower.until_phase("finished");
    CHECK(text_at(state, "task") == evil);
    CHECK(words(turn_of(state, 1)) == evil);
    CHECK(client.get("/state").field("content-type") == "application/json; charset=utf-8");
}

TEST_CASE("a failure is shown") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.fail({vlm::errc::unreachable, "nothing listens there"});
    PanelRun run(panel, agent::load_profile("observer"), model);
    run.start();
    run.result();
    const json::object state = client.state();
    CHECK(text_at(state, "error") == "nothing listens there");
    CHECK(state.at("outcome").at("outcome") == "endpoint_failed");
}

TEST_CASE("a finished run is shown from its directory, and cannot be controlled") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.call("click_element", click, "I click OK.").say("It is done.");
    PanelRun run(panel, agent::load_profile("observer"), model);
    run.start();
    run.result();
    run.leave();
    json::object live = client.state();

    Panel other;
    const Client again(other.url());
    other.show(run.path());
    json::object stored = again.state();
    CHECK(text_at(stored, "run") != text_at(live, "run"));
    CHECK(again.get(text_at(stored.at("picture").as_object(), "url")).body ==
          read_file(run.path() / "screenshots/turn_0001.png"));
    CHECK(again.post("/pause").status == 409);
    CHECK(again.post("/tell", {{"text", "hello"}}).status == 409);
    CHECK(again.get("/config").object().at("live") == false);
    for (const char* name : {"task", "phase", "profile", "outcome", "turn", "targets"})
        CHECK(stored.at(name) == live.at(name));
    CHECK(items(turn_of(stored, 1), "call") == items(turn_of(live, 1), "call"));
    CHECK(words(turn_of(stored, 2)) == words(turn_of(live, 2)));
}

TEST_CASE("an untrusted journal shows only files of its run") {
    TempFolder folder;
    std::ofstream(folder / "secret.png", std::ios::binary) << "\x89PNG\r\n\x1a\n secret";
    auto directory = agent::RunDirectory::create(folder.path());
    agent::write_summary(directory, {.task = "x", .profile = agent::load_profile("observer")});
    std::ofstream(directory.path() / "note.txt") << "no picture";
    std::ofstream(directory.path() / "own.png", std::ios::binary) << "\x89PNG\r\n\x1a\n own";
    std::ofstream journal(directory.journal_file(), std::ios::binary);
    const std::string absolute = (folder / "secret.png").generic_string();
    for (const std::string& file :
         {std::string("../secret.png"), absolute, std::string("x/../../secret.png"),
          std::string("note.txt"), std::string("missing.png"), std::string(),
          std::string("own.png")})
        journal << observed_entry(file) << "\n";
    journal << "no JSON\n[]\n{}\n{\"type\": 1}\n{\"type\": \"replied\", \"turn\": \"x\"}\n"
            << "{\"type\":\"observed\",\"file\":7,\"changed\":{},\"width\":1e99}\n"
            << "{\"type\":\"invoked\",\"turn\":-5,\"action\":[],\"signal\":3}\n{\"type\":\"tor";
    journal.close();
    Panel panel;
    const Client client(panel.url());
    panel.show(directory.path());
    const json::object state = client.state();
    CHECK(text_at(state, "phase") == "interrupted");
    const std::string screenshots = "/picture/" + text_at(state, "run") + "/";
    for (int number = 1; number <= 6; ++number)
        CHECK(client.get(screenshots + std::to_string(number)).status == 404);
    CHECK(client.get(screenshots + "7").status == 200);
    CHECK(client.get(screenshots + "8").status == 404);
    CHECK_THROWS_AS(panel.show(folder.path()), agent::Error);
}

TEST_CASE("the texts of requests are served by hash, and no other file") {
    TempFolder folder;
    auto directory = agent::RunDirectory::create(folder.path());
    agent::write_summary(directory, {.task = "x", .profile = agent::load_profile("observer")});
    {
        agent::Journal journal(directory);
        agent::Ask ask{"agent", {}};
        ask.request.messages = {vlm::Message::system("<b>Be brief.</b>")};
        journal.append(agent::Command(ask), 1);
    }
    std::ofstream(directory.path() / "prompts/note.txt") << "a note";
    Panel panel;
    const Client client(panel.url());
    panel.show(directory.path());
    const json::object state = client.state();
    const auto requests = items(turn_of(state, 1), "request");
    REQUIRE(requests.size() == 1);
    const json::value& part = requests[0].at("added").at(0).at("parts").at(0);
    const std::string folder_url = "/prompt/" + text_at(state, "run") + "/";
    const std::string hash(part.at("text").as_string());
    const auto reply = client.get(folder_url + hash);
    CHECK(reply.status == 200);
    CHECK(reply.body == "<b>Be brief.</b>");
    CHECK(reply.field("content-type") == "text/plain; charset=utf-8");
    for (const std::string& name : {std::string("note"), std::string("../run.json"), std::string(),
                                    hash + "0", std::string(32, '0'), hash + "/raw"}) {
        CAPTURE(name);
        CHECK(client.get(folder_url + name).status == 404);
    }
    CHECK(client.get("/prompt/another/" + hash).status == 404);
}

TEST_CASE("an untrusted journal can neither overfill a turn nor exceed the highest turn") {
    TempFolder folder;
    auto directory = agent::RunDirectory::create(folder.path());
    agent::write_summary(directory, {.task = "x", .profile = agent::load_profile("story")});
    std::ofstream journal(directory.journal_file(), std::ios::binary);
    for (int call = 0; call < 1000; ++call)
        journal << R"({"type":"invoke","turn":1,"call_id":"c","tool":"t","arguments":"{}"})"
                << "\n";
    const int max = std::numeric_limits<int>::max();
    journal << json::serialize(json::object{{"type", "ask"}, {"turn", max}}) << "\n"
            << replied_entry(max, "words") << "\n";
    journal.close();
    Panel panel;
    const Client client(panel.url());
    panel.show(directory.path());
    const json::object state = client.state();
    CHECK(items(turn_of(state, 1), "call").size() == panel::PageState::max_items);
    CHECK(turn_of(state, 1).at("left_out") == 1000 - panel::PageState::max_items);
    CHECK(words(state.at("turns").as_array().back().as_object()) == "words");
    CHECK(state.at("turns").as_array().back().at("turn").as_int64() == max);
}

#ifndef _WIN32
TEST_CASE("a pipe in a run directory does not block") {
    TempFolder folder;
    auto directory = agent::RunDirectory::create(folder.path());
    agent::write_summary(directory, {.task = "x", .profile = agent::load_profile("observer")});
    REQUIRE(mkfifo((directory.path() / "pipe.png").c_str(), 0600) == 0);
    std::ofstream(directory.journal_file()) << observed_entry("pipe.png") << "\n";
    Panel panel;
    const Client client(panel.url());
    panel.show(directory.path());
    CHECK(client.get("/picture/" + text_at(client.state(), "run") + "/1").status == 404);
    std::filesystem::remove(directory.journal_file());
    REQUIRE(mkfifo(directory.journal_file().c_str(), 0600) == 0);
    panel.show(directory.path());
    CHECK(client.state().at("turns").as_array().empty());
    std::filesystem::remove(directory.path() / "run.json");
    REQUIRE(mkfifo((directory.path() / "run.json").c_str(), 0600) == 0);
    CHECK_THROWS_AS(panel.show(directory.path()), agent::Error);
}
#endif

TEST_CASE("a run of another process is followed") {
    TempFolder folder;
    auto directory = agent::RunDirectory::create(folder.path());
    agent::write_summary(directory, {.task = "x", .profile = agent::load_profile("observer")});
    const auto write = [&](const std::string& text) {
        std::ofstream(directory.journal_file(), std::ios::binary | std::ios::app) << text;
    };
    write("{\"type\":\"run_started\",\"task\":\"draw\"}\n");
    Panel panel;
    panel.show(directory.path());
    Follower follower{Client(panel.url())};
    CHECK(text_at(follower.until([](const auto& state) { return state.contains("task"); }),
                  "task") == "draw");
    const std::string second = replied_entry(2, "two");
    write(replied_entry(1, "one") + "\n" + second.substr(0, 15));
    follower.until([](const auto& state) { return state.at("turns").as_array().size() == 1; });
    write(second.substr(15) + "\n" +
          R"({"type":"run_finished","outcome":"completed","turns":2,"prompt_tokens":null,)"
          R"("cached_tokens":null,"completion_tokens":null,"elapsed_ms":7})" +
          "\n");
    const json::object& end = follower.until_phase("finished");
    CHECK(words(turn_of(end, 2)) == "two");
}

TEST_CASE("the place of the latest call is shown until the next one begins") {
    panel::PageState page("run", agent::load_profile("observer"));
    const auto targets = [&] { return page.to_json().at("targets").as_array().size(); };
    const auto event = [](agent::Payload payload, int turn) {
        return agent::Event{1, {}, turn, std::move(payload), {}};
    };
    agent::Invoked clicked;
    clicked.ok = true;
    clicked.action.points = {{300, 400}};
    page.apply(event(agent::Invoke{}, 1));
    CHECK(targets() == 0);
    page.apply(event(clicked, 1));
    CHECK(targets() == 1);
    page.apply(event(agent::Asked{}, 2)); // during a request to the model
    CHECK(targets() == 1);
    page.apply(event(agent::Invoke{}, 2));
    CHECK(targets() == 0);
}

TEST_CASE("the progress of a call is shown until the call ends") {
    panel::PageState page("run", agent::load_profile("observer"));
    const auto progress = [&] { return text_at(page.snapshot().to_json(), "progress"); };
    CHECK(progress().empty());
    page.apply(agent::ToolProgress{"copy", 1, 4.0, "a\xFF"});
    CHECK(progress() == "copy: 25 %, a\xEF\xBF\xBD");
    page.apply(agent::Event{1, {}, 1, agent::Invoked{}, {}});
    CHECK(progress().empty());
}

TEST_CASE("the pointer's position is shown beside its target") {
    Panel panel;
    vlm::testing::ScriptedModel model;
    model.call("click_element", click).call("observe_screen", "{}").say("done");
    PanelRun run(panel, agent::load_profile("observer"), model);
    winio::PointerShape arrow;
    arrow.pixels = winio::Image(winio::Size{4, 4});
    run.desktop().set_pointer_shape(arrow);
    run.start();
    run.result();
    const json::object state = Client(panel.url()).state();
    CHECK(state.at("picture").at("pointer") == json::array{300, 400});
    CHECK(agent::load_run(run.path()).outcome == "completed");
}

TEST_CASE("a picture of a part of the screen says which part it is") {
    panel::PageState page("run", agent::load_profile("observer"));
    agent::Observed seen;
    seen.sha256 = "a";
    seen.file = "screenshots/turn_0001.png";
    seen.size = {400, 200};
    seen.area = {250, 100, 100, 50};
    const auto picture = [&](const agent::Observed& fact) {
        page.apply({1, {}, 0, agent::Observe{1}, {}});
        page.apply({2, {}, 0, fact, {}});
        return page.to_json().at("picture").as_object();
    };
    CHECK_FALSE(picture(seen).contains("part"));
    seen.zoomed = agent::Zoomed{{-250, 0, 1000, 200}, agent::ZoomUse::positions, {}};
    CHECK(picture(seen).at("part") == json::array{500.0, 500.0, 600.0, 750.0});
    // A crop for a refined position is not a picture of the turn.
    seen.zoomed->use = agent::ZoomUse::refine;
    seen.zoomed->work_area = {250, 100, 100, 50};
    CHECK(picture(seen).at("part") == json::array{500.0, 500.0, 600.0, 750.0});
}

// ---- control ------------------------------------------------------------------------------------

TEST_CASE("a run is paused, stepped and resumed from the panel") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.call("click_element", click).say("done");
    PanelRun run(panel, agent::load_profile("observer"), model);
    Follower follower(client);
    CHECK(client.post("/pause").status == 200);
    run.start();
    follower.until_phase("paused");
    CHECK(follower.state().at("held") == true);
    CHECK(run.desktop().captures() == 0);

    CHECK(client.post("/step").status == 200); // a screenshot
    follower.until([](const json::object& state) {
        return state.at("held") == true && state.at("picture").is_object();
    });
    CHECK(client.post("/step").status == 200); // a request
    follower.until([](const json::object& state) {
        return state.at("held") == true && text_at(turn_of(state, 1), "phase") != "" &&
               !items(turn_of(state, 1), "reply").empty();
    });
    CHECK(run.desktop().events().empty());
    CHECK(client.post("/resume").status == 200);
    follower.until_phase("finished");
    CHECK(run.result().outcome == agent::Outcome::completed);
    CHECK(client.post("/pause").status == 409); // the run has ended
}

TEST_CASE("the model receives messages from the panel") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.say("done");
    PanelRun run(panel, agent::load_profile("observer"), model);
    Follower follower(client);
    CHECK(client.post("/tell", {{"text", "too early"}}).status == 409);
    CHECK(client.post("/pause").status == 200);
    run.start();
    follower.until_phase("paused");
    const std::string run_id = text_at(follower.state(), "run");
    CHECK(client.post("/tell", {{"text", "The file is called nötes.txt."}, {"run", run_id}})
              .object()
              .at("ok") == true);
    CHECK(client.post("/tell", {{"text", std::string(70000, 'x')}}).status == 413);
    CHECK(client.post("/tell", {{"text", "x"}, {"run", "another"}}).status == 409);
    CHECK(client.post("/inject", {{"vlm_text", "{}"}}).status == 409); // not a visual loop
    CHECK(client.post("/resume").status == 200);
    CHECK(run.result().outcome == agent::Outcome::completed);
    const auto& messages = model.requests().at(0).messages;
    std::string heard;
    for (const auto& message : messages) heard += message.text();
    CHECK_THAT(heard, ContainsSubstring("The file is called nötes.txt."));
    bool noted = false;
    const json::object state = client.state();
    for (const json::value& turn : state.at("turns").as_array())
        for (const json::object& message : items(turn.as_object(), "message"))
            noted = noted || message.at("text") == "The file is called nötes.txt.";
    CHECK(noted);
}

TEST_CASE("an action waits for approval, which the panel grants or denies") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.call("click_element", click).call("click_element", click).say("done");
    PanelRun run(
        panel, agent::load_profile("observer"), model,
        {.guard = agent::Guard(agent::GuardLevel::strict), .approvals = agent::Approvals::user});
    Follower follower(client);
    run.start();
    const json::object first = follower.until(has_question).at("questions").at(0).as_object();
    CHECK(text_at(first, "tool") == "click_element");
    CHECK(text_at(first, "arguments") == click);
    CHECK(first.at("points") == json::array{json::array{300, 400}});
    CHECK(follower.state().at("targets") == first.at("points"));
    CHECK(run.desktop().events().empty());
    const auto id = first.at("id").to_number<std::uint64_t>();
    CHECK(client.post("/decide", {{"id", id + 1}, {"granted", true}}).status == 409);
    CHECK(client.post("/decide", {{"id", id}, {"granted", true}, {"run", "another"}}).status ==
          409);
    CHECK(
        client.post("/decide", {{"id", id}, {"granted", false}, {"why", "Not that one."}}).status ==
        200);
    CHECK(client.post("/decide", {{"id", id}, {"granted", true}}).status ==
          409); // the first counts
    follower.until([&](const json::object& state) {
        return has_question(state) && state.at("questions").at(0).at("id") != id;
    });
    CHECK(run.desktop().events().empty());
    CHECK(client
              .post("/decide",
                    {{"id", follower.state().at("questions").at(0).at("id")}, {"granted", true}})
              .status == 200);
    follower.until_phase("finished");
    CHECK(run.result().outcome == agent::Outcome::completed);
    CHECK(run.desktop().events().size() == 3);
    const json::object refused = items(turn_of(follower.state(), 1), "call").at(0);
    CHECK(refused.at("ok") == false);
    CHECK_THAT(text_at(refused, "result"), ContainsSubstring("Not that one."));
}

TEST_CASE("a run is stopped from the panel, also while it waits") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.call("click_element", click);
    PanelRun run(
        panel, agent::load_profile("observer"), model,
        {.guard = agent::Guard(agent::GuardLevel::strict), .approvals = agent::Approvals::user});
    Follower follower(client);
    run.start();
    follower.until(has_question);
    const json::object body = GENERATE(json::object(), json::object{{"now", true}});
    CHECK(client.post("/stop", body).status == 200);
    CHECK(run.result().outcome == agent::Outcome::cancelled);
    CHECK(run.result().reason == "stopped in the panel");
    CHECK(agent::RunPort(run.control()).at_once().stop_requested() == !body.empty());
    CHECK(run.desktop().events().empty());
    follower.until_phase("finished");
}

// ---- a visual loop ------------------------------------------------------------------------------

namespace {

std::string reply(const std::string& observation, const std::string& actions,
                  const std::string& more = {}) {
    return R"({"observation":")" + observation +
           R"(","bboxes":[{"x1":1,"y1":2,"x2":30,"y2":40}],)" + R"("actions":[)" + actions + "]" +
           more + "}";
}
const std::string one_click = R"({"name":"click","x1":300,"y1":400})";

std::string white_image(winio::Size size) {
    winio::Image image(size);
    image.fill({0, 0, size.width, size.height}, {255, 255, 255, 255});
    const auto png = winio::encode_png(image.view());
    return {png.begin(), png.end()};
}

agent::Profile story(agent::LogLayout layout = agent::LogLayout::flat) {
    agent::Profile profile = agent::load_profile("story");
    profile.log.layout = layout;
    return profile;
}

/// A client like the reference's: it polls the state, and posts.
void annotate(const Client& client, Follower& follower, const std::string& screenshot) {
    const json::object& state = follower.until_phase("waiting_annotated");
    const json::object body{{"seq", state.at("pending_seq")},
                            {"image_b64", base::to_base64(screenshot)}};
    CHECK(client.post("/annotated", body).status == 200);
    const auto turn = state.at("pending_seq").to_number<int>();
    follower.until([&](const json::object& now) { return now.at("annotated_seq") == turn; });
}

} // namespace

TEST_CASE("an annotated screenshot is available until the journal contains it") {
    const TempFolder folder;
    panel::ShownRun shown("run", folder.path(), agent::load_profile("story"), agent::Source::client,
                          [] {});
    agent::RunControl control;
    shown.attach(control);
    const auto file = std::make_shared<const std::vector<std::uint8_t>>(3);
    agent::RunPort port(control);
    port.begin(agent::RunPort::Replies::taken);
    std::thread run([&] {
        static_cast<void>(port.wait_for_annotation({.turn = 1, .size = {5, 5}, .file = file}));
    });
    const auto raw = [&] { return shown.screenshot(1, panel::ShownRun::Kind::raw); };
    CHECK(eventually([&] { return raw() == file; }));
    CHECK(control.annotate(1, {1, 2}) == agent::SubmitResult::accepted);
    run.join();
    CHECK(raw() == file);
    CHECK(shown.screenshot(1, panel::ShownRun::Kind::shown) == nullptr);
    agent::Event observed;
    observed.seq = 1;
    observed.turn = 1;
    observed.payload = agent::Observed{.file = "1.png"};
    shown.on_event(observed);
    CHECK(raw() == nullptr); // there is no such file
    CHECK(shown.screenshot(2, panel::ShownRun::Kind::raw) == nullptr);
    shown.detach();
}

TEST_CASE("the reference's loop over HTTP: boot, annotate, and invalid posts") {
    const auto layout = GENERATE(agent::LogLayout::flat, agent::LogLayout::turn_dirs);
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.say(reply("I click.", one_click)).say(reply("Done.", "", R"(,"done":true)"));
    PanelRun run(panel, story(layout), model, {.annotation = agent::Source::client});
    Follower follower(client);
    run.start("draw a line");

    const json::object waiting = follower.until_phase("waiting_annotated");
    CHECK(waiting.at("turn") == 1);
    CHECK(waiting.at("pending_seq") == 1);
    CHECK(waiting.at("annotated_seq") == 0);
    CHECK(waiting.at("wanted") == json::object{{"seq", 1}, {"width", 501}, {"height", 501}});
    CHECK_FALSE(text_at(waiting, "vlm_json").empty());
    // The screenshot to annotate is available in both ways.
    const std::string raw_url = text_at(waiting.at("picture").as_object(), "raw_url");
    const std::string raw = client.get(raw_url).body;
    CHECK(text_at(client.get("/state").object(), "raw_b64") == base::to_base64(raw));
    CHECK(client.get(raw_url.substr(0, raw_url.size() - 4)).status == 404);

    const std::string right = white_image({501, 501});
    const auto post = [&](const json::object& body) {
        const int status = client.post("/annotated", body).status;
        if (status != 200) CHECK(text_at(client.state(), "phase") == "waiting_annotated");
        return status;
    };
    CHECK(post({{"seq", 0}, {"image_b64", base::to_base64(right)}}) == 409);
    CHECK(post({{"seq", 2}, {"image_b64", base::to_base64(right)}}) == 409);
    CHECK(post({{"seq", 2}, {"image_b64", "no picture"}}) == 409);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64(right)}, {"run", "another"}}) == 409);
    CHECK(post({{"seq", 1}, {"image_b64", "no base64"}}) == 400);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64("no picture")}}) == 400);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64(right.substr(0, right.size() - 20))}}) ==
          400);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64(white_image({500, 501}))}}) == 400);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64(white_image({501, 502}))}}) == 400);
    std::string broken = right;
    broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 1);
    CHECK(post({{"seq", 1}, {"image_b64", base::to_base64(broken)}}) == 400);
    CHECK(post({{"seq", 1}}) == 400);
    CHECK(model.requests().empty());

    CHECK(post({{"seq", 1},
                {"image_b64", "data:image/png;base64," + base::to_base64(right)},
                {"run", waiting.at("run")}}) == 200);
    follower.until([](const json::object& state) { return state.at("annotated_seq") == 1; });
    // The model received the posted image.
    annotate(client, follower, right);
    const json::object third = follower.until([](const json::object& state) {
        return state.at("phase") == "waiting_annotated" && state.at("pending_seq") == 3;
    });
    CHECK(text_at(third, "observation") == "Done.");
    CHECK(third.at("bboxes").at(0) == json::object{{"x1", 1}, {"y1", 2}, {"x2", 30}, {"y2", 40}});
    annotate(client, follower, white_image({501, 501}));
    CHECK(run.result().outcome == agent::Outcome::completed);

    const auto& image = std::get<vlm::Image>(model.requests().at(0).messages.back().parts.back());
    CHECK(*image.bytes == bytes_of(right));
    const bool flat = layout == agent::LogLayout::flat;
    CHECK(read_file(run.path() / (flat ? "turn_0001_annotated.png"
                                       : "turn_0001/screenshot_annotated.png")) == right);
    CHECK(read_file(run.path() / (flat ? "turn_0001_raw.png" : "turn_0001/screenshot_raw.png")) ==
          raw);
    CHECK(
        std::filesystem::exists(run.path() / (flat ? "turns.jsonl" : "turn_0003/vlm_output.json")));
    // A post now is too late.
    CHECK(client.post("/annotated", {{"seq", 3}, {"image_b64", base::to_base64(right)}}).status ==
          409);
    const json::object end = follower.until_phase("finished");
    CHECK(words(turn_of(end, 2)) == reply("I click.", one_click));
    CHECK(items(turn_of(end, 2), "call").size() == 1);
    CHECK(turn_of(end, 2).at("after").at("annotation").at("trail").at(0).at(0).at("at") ==
          json::array{300, 400});
    CHECK(client.get(text_at(turn_of(end, 1).at("after").as_object(), "url")).body == right);
    CHECK(client.get(text_at(turn_of(end, 1).at("after").as_object(), "raw_url")).body == raw);
}

TEST_CASE("the reference's loop without a boot reply waits for an injected one") {
    Panel panel({.access = panel::PanelAccess::without_token});
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.say(reply("Done.", "", R"(,"done":true)"));
    agent::Profile profile = story();
    profile.settings<agent::VisualLoopSettings>()->boot.clear();
    PanelRun run(panel, profile, model, {.first_reply = agent::Source::client});
    Follower follower(client);
    run.start();
    // The phase is known from the journal, a moment before the run waits.
    follower.until([](const json::object& state) { return state.at("for_reply") == true; });
    const json::object waiting = follower.state();
    CHECK(text_at(waiting, "phase") == "waiting_inject");
    CHECK(waiting.at("turn") == 0);
    CHECK(waiting.at("takes_replies") == true);
    CHECK(client.get("/state").object().at("raw_b64").is_null());
    // As the reference's clients send it: without a token, and without a JSON content type.
    const std::string body =
        json::serialize(json::object{{"vlm_text", reply("I begin.", one_click)}});
    CHECK(client.ask("POST", "/inject", {}, body).status == 200);
    const json::object end = follower.until_phase("finished");
    CHECK(run.result().outcome == agent::Outcome::completed);
    CHECK(words(turn_of(end, 1)) == reply("I begin.", one_click));
    CHECK(run.desktop().pointer() == winio::Point{150, 200});
    CHECK(model.requests().at(0).messages.at(1).text() == "I begin.");
}

TEST_CASE("the phases of a visual loop are shown in order") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    model.say(reply("I click.", one_click)).say(reply("Done.", "", R"(,"done":true)"));
    PanelRun run(panel, story(), model, {.annotation = agent::Source::client});
    Follower follower(client);
    CHECK(client.post("/pause").status == 200);
    run.start();
    std::string phases;
    const auto step_to = [&](const char* phase) {
        const auto before = follower.until_phase("paused").at("seq").to_number<std::uint64_t>();
        CHECK(client.post("/step").status == 200);
        follower.until([&](const json::object& state) {
            return state.at("phase") == phase &&
                   state.at("seq").to_number<std::uint64_t>() > before;
        });
    };
    follower.until_phase("paused");
    CHECK(text_at(follower.state(), "mode_phase") == "capturing");
    step_to("waiting_annotated"); // the screenshot
    annotate(client, follower, white_image({501, 501}));
    step_to("paused"); // the request
    CHECK(text_at(follower.until_phase("paused"), "mode_phase") == "executing");
    CHECK(client.post("/resume").status == 200);
    annotate(client, follower, white_image({501, 501}));
    annotate(client, follower, white_image({501, 501}));
    follower.until_phase("finished");
    CHECK(run.result().outcome == agent::Outcome::completed);
}

TEST_CASE("a new run replaces the previous one, whose late posts have no effect") {
    Panel panel;
    const Client client(panel.url());
    Follower follower(client);
    vlm::testing::ScriptedModel model;
    model.say(reply("Done.", "", R"(,"done":true)"));
    const std::string screenshot = white_image({501, 501});
    std::string old_run;
    {
        PanelRun first(panel, story(), model, {.annotation = agent::Source::client});
        first.start();
        old_run = text_at(follower.until_phase("waiting_annotated"), "run");
        CHECK(client.post("/stop").status == 200);
        CHECK(first.result().outcome == agent::Outcome::cancelled);
        follower.until_phase("finished");
    }
    CHECK(text_at(client.state(), "phase") == "finished"); // the finished run stays visible
    PanelRun second(panel, story(), model, {.annotation = agent::Source::client});
    second.start();
    const json::object state = follower.until([&](const json::object& now) {
        return text_at(now, "run") != old_run && now.at("phase") == "waiting_annotated";
    });
    const json::object late{
        {"seq", 1}, {"image_b64", base::to_base64(screenshot)}, {"run", old_run}};
    CHECK(client.post("/annotated", late).status == 409);
    CHECK(client.post("/pause", {{"run", old_run}}).status == 409);
    CHECK(client.get("/picture/" + old_run + "/1").status == 404);
    CHECK(text_at(client.state(), "phase") == "waiting_annotated");
    annotate(client, follower, screenshot);
    follower.until([](const json::object& now) { return now.at("pending_seq") == 2; });
    annotate(client, follower, screenshot);
    CHECK(second.result().outcome == agent::Outcome::completed);
}

TEST_CASE("a resumed run is shown from its beginning") {
    TempFolder folder;
    agent::Profile profile = agent::load_profile("observer");
    winio::testing::MemoryDesktop desktop({501, 501});
    vlm::testing::ScriptedModel model;
    agent::AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    model.call("click_element", click, "I click OK.")
        .fail({vlm::errc::unreachable, "nothing listens there"})
        .say("It is done.");
    agent::Agent agent(desktop, model, profile, agent::built_in_tools(), options);
    auto directory = agent::RunDirectory::create(folder.path());
    {
        agent::RunControl control;
        CHECK(agent.run("x", directory, control).outcome == agent::Outcome::endpoint_failed);
    }
    Panel panel;
    const Client client(panel.url());
    agent::RunControl control;
    const auto seat = panel.show(directory, control, profile);
    CHECK(words(turn_of(client.state(), 1)) == "I click OK.");
    CHECK(agent.resume(directory, control, seat.get()).outcome == agent::Outcome::completed);
    const json::object state = client.state();
    CHECK(words(turn_of(state, 1)) == "I click OK.");
    CHECK(words(turn_of(state, 2)) == "It is done.");
    CHECK(state.at("outcome").at("outcome") == "completed");
}

TEST_CASE("a run continues without its panel") {
    auto panel = std::make_unique<Panel>();
    GatedModel model({{vlm::Delta::Kind::text, "done"}});
    PanelRun run(*panel, agent::load_profile("observer"), model);
    {
        Follower follower{Client(panel->url())};
        run.start();
        follower.until_phase("calling_model");
        panel.reset();
        CHECK(follower.is_closed());
    }
    model.let();
    model.let();
    CHECK(run.result().outcome == agent::Outcome::completed);
}

TEST_CASE("many clients do not disturb a run") {
    Panel panel;
    const Client client(panel.url());
    vlm::testing::ScriptedModel model;
    for (int i = 0; i < 40; ++i) model.call("click_element", click, "Again.");
    // A message at the last moment causes another reply.
    for (int i = 0; i < 20; ++i) model.say("done");
    agent::Profile profile = agent::load_profile("observer");
    profile.max_turns = 60;
    profile.loops.answer = agent::LoopAnswer::none;
    PanelRun run(panel, profile, model);
    std::vector<std::future<void>> others;
    for (int i = 0; i < 3; ++i)
        others.push_back(std::async(std::launch::async, [&] {
            Follower follower(client);
            follower.until_phase("finished");
        }));
    others.push_back(std::async(std::launch::async, [&] {
        while (text_at(client.state(), "phase") != "finished") {
            (void)client.post("/pause");
            (void)client.post("/tell", {{"text", "hello"}});
            (void)client.post("/resume");
        }
    }));
    run.start();
    for (auto& other : others) other.get();
    CHECK(run.result().outcome == agent::Outcome::completed);
}
