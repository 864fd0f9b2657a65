// Secrets: typed by the model, which does not receive their values.
#include "eyehand/agent/secrets.hpp"
#include "virtual_run.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "thinking_model.hpp"

#include <fstream>

using namespace eyehand;
using namespace agent;
using test::all_of;
using test::Thought;

namespace {

constexpr const char* password = "corréct \"horse\"\\battery";

Secret secret(std::string name, std::string value) {
    return {.name = std::move(name),
            .read = [value = std::move(value)] { return std::optional(value); }};
}

Secret bound_to(std::vector<std::string> processes, std::vector<std::string> titles = {}) {
    Secret mail = secret("mail", password);
    mail.processes = std::move(processes);
    mail.titles = std::move(titles);
    return mail;
}

Thought calls(const std::string& tool, const std::string& arguments = "{}") {
    return {.reply = test::ThinkingModel::called(tool, arguments)};
}

/// A run with the secret "mail".
struct RunWithSecret : test::ScriptedRun {
    explicit RunWithSecret(std::vector<Thought> thoughts, Secret mail = secret("mail", password))
        : ScriptedRun(std::move(thoughts)) {
        options.guard = Guard(GuardLevel::off);
        options.secrets.add(std::move(mail));
        set_window("browser.exe", "Log in - Browser");
    }
    void set_window(std::string process, std::string title) {
        winio::WindowInfo it;
        it.id = winio::WindowId{1};
        it.process = std::move(process);
        it.title = std::move(title);
        it.bounds = {0, 0, 251, 251};
        it.foreground = true;
        desktop.set_windows({it});
    }
    [[nodiscard]] std::vector<std::string> results() const {
        std::vector<std::string> all;
        for (const Invoked& call : all_of<Invoked>(events)) all.push_back(call.result_json);
        return all;
    }
};

std::string text_of(const vlm::ChatRequest& request) {
    std::string all;
    for (const vlm::Message& message : request.messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* text = std::get_if<std::string>(&part)) all += *text + "\n";
    return all;
}

/// Only PATH is set.
std::optional<std::string> variable(const std::string& name) {
    return name == "PATH" ? std::optional<std::string>("folders") : std::nullopt;
}

std::string problem_of(const std::string& text) {
    try {
        (void)parse_secrets(text, "secrets.json", {.variable = variable});
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_secret);
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("secrets: references are replaced, and values in results are replaced back") {
    Secrets secrets;
    CHECK(secrets.reveal("secret://mail").text == "secret://mail");
    CHECK(secrets.instructions().empty());
    secrets.add(secret("mail", password));
    secrets.add(secret("mail-2", "horse"));
    CHECK_THAT(secrets.instructions(), ContainsSubstring("secret://mail, secret://mail-2"));

    CHECK(secrets.redact_json(R"({"text":"horse"})") == R"({"text":"horse"})"); // not revealed yet
    const RevealedText revealed = secrets.reveal("a secret://mail-2, secret://mail.");
    CHECK(revealed.text == "a horse, " + std::string(password) + ".");
    CHECK(revealed.secrets == std::vector<std::string>{"mail-2", "mail"});
    // The longer value first, although it contains the other one.
    CHECK(secrets.redact_json(R"({"text":"corréct \"horse\"\\battery horse","n":0.5,"ok":true})") ==
          R"({"text":"secret://mail secret://mail-2","n":0.5,"ok":true})");
    CHECK(secrets.redact_json(R"(["corr\u00e9ct \u0022horse\"\\battery"])") ==
          R"(["secret://mail"])");

    const RevealedText unknown = secrets.reveal("secret://mial");
    CHECK(unknown.text.empty());
    CHECK_THAT(unknown.problem, ContainsSubstring("did you mean \"mail\""));
}

TEST_CASE("secrets: a value that is literal JSON does not damage a result") {
    Secrets secrets;
    secrets.add(secret("word", "true"));
    (void)secrets.reveal("secret://word");
    CHECK(secrets.redact_json(R"({"ok":true,"text":"true"})") ==
          R"({"ok":true,"text":"secret://word"})");
}

TEST_CASE("secrets: a reference that replaces a value is not searched for other values") {
    Secrets secrets;
    secrets.add(secret("mail", "correct"));
    secrets.add(secret("pin", "mail"));
    secrets.add(secret("member", "text"));
    secrets.read_all();
    CHECK(secrets.redact("correct mail") == "secret://mail secret://pin");
    // Programs read the names of members.
    CHECK(secrets.redact_json(R"({"text":"text correct"})") ==
          R"({"text":"secret://member secret://mail"})");
}

TEST_CASE("secrets: a value must be text that can be typed") {
    for (const char* value : {"", "\xff\xfe", "a\xc3"}) {
        Secrets secrets;
        secrets.add(secret("a", value));
        CHECK_THAT(secrets.reveal("secret://a").problem, ContainsSubstring("no value that can be"));
    }
}

TEST_CASE(
    "secrets: values that were typed in an earlier part of the run, or are cut, are replaced") {
    RunWithSecret run({calls("read_clipboard"), calls("list_windows")});
    run.options.with = {"read_clipboard", "list_windows"};
    // The limits of results, 4000 and 80 characters, are within the value.
    run.desktop.clipboard()->set_text(std::string(3990, 'x') + password);
    run.set_window("browser.exe", std::string(70, 'x') + password);
    REQUIRE(run.run().outcome == Outcome::completed);
    for (const std::string& result : run.results()) CHECK_THAT(result, !ContainsSubstring("corr"));
    CHECK(run.results().size() == 2);
}

TEST_CASE("secrets: short values are typed, and not searched for in results") {
    Secrets secrets;
    secrets.add(secret("pin", "123"));
    CHECK(secrets.reveal("secret://pin").text == "123");
    CHECK(secrets.redact_json(R"({"text":"123"})") == R"({"text":"123"})");
}

TEST_CASE("secrets: names are unique words") {
    Secrets secrets;
    secrets.add(secret("a_B-9", "value"));
    for (const char* name : {"", "a b", "a.b", "a/b", "a_B-9", "\xc3\xa9"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(secrets.add(secret(name, "value")), Error);
    }
    CHECK_THROWS_AS(secrets.add(Secret{.name = "unreadable"}), Error);
    CHECK(secrets.names() == std::vector<std::string>{"a_B-9"});
}

TEST_CASE("secrets: the model types a value that it does not receive") {
    RunWithSecret run({calls("type_text", R"({"text":"x secret://mail"})"), calls("read_clipboard"),
                       calls("list_windows")});
    run.options.with = {"read_clipboard", "list_windows"};
    run.desktop.clipboard()->set_text(std::string("copied: ") + password);
    run.on_event = [&](const Event& event) {
        if (std::holds_alternative<Invoked>(event.payload))
            run.set_window("browser.exe", std::string("Search for ") + password);
    };
    REQUIRE(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.typed() == "x " + std::string(password));
    const auto results = run.results();
    REQUIRE(results.size() == 3);
    CHECK_THAT(results[0], ContainsSubstring(R"("typed":"x secret://mail")"));
    CHECK_THAT(results[1], ContainsSubstring("copied: secret://mail"));
    CHECK_THAT(results[2], ContainsSubstring("Search for secret://mail"));
    for (const vlm::ChatRequest& request : run.requests)
        CHECK_THAT(text_of(request), !ContainsSubstring("battery"));
    for (const Event& event : run.events) CHECK_THAT(event.line, !ContainsSubstring("battery"));
}

TEST_CASE("secrets: a mistake in a name goes back to the model, and nothing is typed") {
    RunWithSecret run({calls("type_text", R"({"text":"x secret://mial"})")});
    REQUIRE(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.typed().empty());
    CHECK_THAT(run.results().at(0), ContainsSubstring("did you mean"));
}

TEST_CASE("secrets: a value that is missing goes back to the model, and nothing is typed") {
    RunWithSecret run({calls("type_text", R"({"text":"secret://mail"})")},
                      {.name = "mail", .read = [] { return std::optional<std::string>(); }});
    REQUIRE(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.typed().empty());
    CHECK_THAT(run.results().at(0), ContainsSubstring("no value that can be typed"));
}

TEST_CASE("secrets: other tools receive the reference, and a secret is not pasted") {
    RunWithSecret run({calls("launch_app", R"({"command":"mail secret://mail"})"),
                       calls("paste_text", R"({"text":"secret://mail"})")});
    run.options.with = {"launch_app", "paste_text"};
    REQUIRE(run.run().outcome == Outcome::completed);
    REQUIRE(run.desktop.launches().size() == 1);
    CHECK(run.desktop.launches()[0].command == "mail secret://mail");
    CHECK(run.desktop.clipboard()->text().empty());
    CHECK_THAT(run.results().at(1), ContainsSubstring("cannot be pasted"));
}

TEST_CASE("secrets: a bound value is typed only into its windows") {
    const Thought types = calls("type_text", R"({"text":"secret://mail"})");
    const auto typed = [&](Secret mail) {
        RunWithSecret run({types}, std::move(mail));
        REQUIRE(run.run().outcome == Outcome::completed);
        if (run.desktop.typed().empty())
            CHECK_THAT(run.results().at(0), ContainsSubstring("may not be typed"));
        return !run.desktop.typed().empty();
    };
    CHECK(typed(bound_to({"browser*"})));
    CHECK(typed(bound_to({"BROWSER.EXE"}, {"Log in*"})));
    CHECK(typed(bound_to({"notepad*", "browser*"})));
    CHECK_FALSE(typed(bound_to({"notepad*"})));
    CHECK_FALSE(typed(bound_to({"browser*"}, {"Settings*"})));

    SECTION("not if no window has the keyboard focus") {
        RunWithSecret run({types}, bound_to({"browser*"}));
        run.desktop.set_windows({});
        REQUIRE(run.run().outcome == Outcome::completed);
        CHECK(run.desktop.typed().empty());
    }
}

TEST_CASE("secrets: typing ends when another window takes the keyboard focus") {
    RunWithSecret run({calls("type_text", R"({"text":"secret://mail"})")}, bound_to({"browser*"}));
    run.desktop.on_input = [&](const winio::InputEvent&) {
        if (run.desktop.typed().size() == 4) run.set_window("chat.exe", "Chat");
    };
    REQUIRE(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.typed() == "corr");
    CHECK_THAT(run.results().at(0), ContainsSubstring("may not be typed"));
}

TEST_CASE("secrets: a file names the sources") {
    const test::TempFolder folder;
    std::ofstream(folder.path() / "pin.txt", std::ios::binary) << "0815\r\n";
    std::ofstream(folder.path() / "secrets.json") << R"({ // of the test
        "secrets": [
            {"name": "pin", "file": "pin.txt", "process": ["a*", "b*"], "title": "T*"},
            {"name": "code", "prompt": true},
            {"name": "folders", "environment": "PATH"},
        ]})";
    std::vector<std::string> asked;
    SecretSources sources{.variable = variable};
    sources.ask = [&](const std::string& name) {
        asked.push_back(name);
        return "entered";
    };
    Secrets secrets = load_secrets(folder.path() / "secrets.json", sources);
    CHECK(asked == std::vector<std::string>{"code"});
    CHECK(secrets.names() == std::vector<std::string>{"pin", "code", "folders"});
    CHECK(secrets.variables() == std::vector<std::string>{"PATH"});
    CHECK(secrets.reveal("secret://pin secret://code").text == "0815 entered");
    CHECK(secrets.refusal("pin", "beta", "Title").empty());
    CHECK_FALSE(secrets.refusal("pin", "gamma", "Title").empty());

    // The value at the time of use.
    std::ofstream(folder.path() / "pin.txt") << "4711";
    CHECK(secrets.reveal("secret://pin").text == "4711");
}

TEST_CASE("secrets: mistakes in a file are errors that name the member") {
    CHECK_THAT(problem_of("{"), ContainsSubstring("secrets.json: line 1"));
    CHECK_THAT(problem_of("{}"), ContainsSubstring("\"secrets\" is missing"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a", "value": "x"}]})"),
               ContainsSubstring("\"value\" is unknown"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a"}]})"),
               ContainsSubstring("needs one source"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a", "environment": "PATH", "file": "x"}]})"),
               ContainsSubstring("needs one source"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a", "environment": "EYEHAND_NOT_SET"}]})"),
               ContainsSubstring("not set"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a", "file": "missing.txt"}]})"),
               ContainsSubstring("cannot be read"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a", "prompt": true}]})"),
               ContainsSubstring("no user can be asked"));
    CHECK_THAT(problem_of(R"({"secrets": [{"name": "a b", "environment": "PATH"}]})"),
               ContainsSubstring("secrets[0]: \"name\" is not valid"));
    int asked = 0;
    const auto ask = [&](const std::string&) {
        ++asked;
        return std::optional<std::string>("x");
    };
    CHECK_THROWS_AS(parse_secrets(R"({"secrets": [{"name": "a", "prompt": true},
                                                  {"name": "a", "prompt": true}]})",
                                  "secrets.json", {.ask = ask}),
                    Error);
    CHECK(asked == 0); // only if the complete file is valid
    CHECK_THROWS_AS(load_secrets("missing.json"), Error);
}
