#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/winio/gesture.hpp"

#include "catch.hpp"
#include "source_folder.hpp"
#include "temp_folder.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <set>

using namespace eyehand;
using namespace agent;
namespace gesture = winio::gesture;
using std::chrono::seconds;

namespace {

constexpr winio::Rect whole{0, 0, 1000, 1000};

winio::WindowInfo window(std::uint64_t id, std::string process, winio::Rect bounds = whole) {
    winio::WindowInfo it;
    it.id = winio::WindowId{id};
    it.title = "a title";
    it.process = std::move(process);
    it.process_id = static_cast<std::uint32_t>(1000 + id);
    it.bounds = bounds;
    return it;
}

/// One window with the keyboard focus, which covers the screen.
GuardSurroundings only(winio::WindowInfo it) {
    it.foreground = true;
    GuardSurroundings around;
    around.windows = {std::move(it)};
    return around;
}

winio::Plan only_step(winio::Step step) {
    winio::Plan plan;
    plan.steps.push_back(std::move(step));
    return plan;
}
winio::Plan launching(const std::string& command) {
    return only_step({winio::LaunchCommand{command}});
}
winio::Plan waiting() { return only_step({winio::Batch{}, seconds(1)}); }

winio::KeyChord chord(std::string_view text) { return *winio::parse_chord(text); }

GuardedAction action(const winio::Plan& plan, const GuardSurroundings& around) {
    GuardedAction it;
    it.tool = "tool";
    it.effects = effects_of(plan, around);
    return it;
}

GuardVerdict judge(const Guard& guard, const winio::Plan& plan, const GuardSurroundings& around) {
    return guard.judge(action(plan, around), {});
}

std::vector<GuardRule> rules(const std::string& text) { return parse_guard_rules(text, "test"); }

Guard with_user_rules(const std::string& text, GuardLevel level = GuardLevel::standard) {
    Guard guard(level);
    guard.add(rules(text), RuleOrigin::user);
    return guard;
}

std::string rule(const std::string& when, const std::string& then) {
    return R"({"rules":[{"name":"mine","when":)" + when + R"(,"then":")" + then + R"("}]})";
}

} // namespace

// ---- effects ------------------------------------------------------------------------------------

TEST_CASE("guard: the effects of a click, a drag, a wheel turn and a move") {
    const auto around = only(window(1, "editor"));
    const auto kinds = [&](const winio::Plan& plan) {
        std::string all;
        for (const GuardedEffect& effect : effects_of(plan, around))
            all += std::string(to_string(effect.kind)) + " ";
        return all;
    };
    CHECK(kinds(gesture::click({5, 5}, winio::Button::left, 2)) == "click click ");
    CHECK(kinds(gesture::drag({5, 5}, {50, 50})) == "click click ");
    CHECK(kinds(gesture::scroll({5, 5}, 1)) == "scroll ");
    CHECK(kinds(gesture::move({5, 5})) == "move ");
    CHECK(kinds(gesture::type("a\nb")) == "text ");
    CHECK(kinds(gesture::press(chord("ctrl+s"))) == "key ");
    CHECK(kinds(gesture::paste("text")) == "clipboard_write key ");
    CHECK(kinds(launching("xterm")) == "launch ");
    CHECK(kinds(waiting()).empty());
}

TEST_CASE("guard: both ends of a drag have their window") {
    GuardSurroundings around;
    around.windows = {window(1, "left", {0, 0, 100, 100}), window(2, "right", {100, 0, 100, 100})};
    const auto effects = effects_of(gesture::drag({5, 5}, {150, 50}), around);
    REQUIRE(effects.size() == 2);
    CHECK(effects[0].window->process == "left");
    CHECK(effects[1].window->process == "right");
}

TEST_CASE(
    "guard: typed text contains Enter and Tab, and a chord has its modifiers in a fixed order") {
    const auto around = only(window(1, "editor"));
    CHECK(effects_of(gesture::type("a\n\tb"), around)[0].text == "a\n\tb");
    CHECK(effects_of(gesture::press(chord("shift+ctrl+s")), around)[0].chord == "ctrl+shift+s");
    CHECK(effects_of(gesture::press(chord("windows")), around)[0].chord == "windows");
    CHECK(effects_of(gesture::press(chord("ctrl+shift")), around)[0].chord == "ctrl+shift");
    CHECK(effects_of(gesture::press(chord("a")), around)[0].text == "a");
    CHECK(effects_of(gesture::press(chord("ctrl+a")), around)[0].text.empty());
}

// ---- standard -----------------------------------------------------------------------------------

TEST_CASE("guard: standard allows ordinary work") {
    const Guard guard;
    const auto around = only(window(1, "editor"));
    for (const winio::Plan& plan :
         {gesture::click({5, 5}), gesture::type("Dear reader,\n"), gesture::press(chord("ctrl+s")),
          gesture::drag({5, 5}, {50, 50}), gesture::scroll({5, 5}, 3), gesture::paste("text"),
          gesture::press(chord("alt+f4"))}) {
        const GuardVerdict verdict = judge(guard, plan, around);
        CHECK(verdict.decision == Decision::allow);
        CHECK(verdict.rule == "default");
    }
}

TEST_CASE("guard: standard asks before what can do harm") {
    const Guard guard;
    const auto editor = only(window(1, "editor"));
    const auto asks = [&](const winio::Plan& plan, const GuardSurroundings& around,
                          const std::string& name) {
        const GuardVerdict verdict = judge(guard, plan, around);
        CHECK(verdict.decision == Decision::ask);
        CHECK(verdict.rule == "built_in: " + name);
        CHECK_FALSE(verdict.reason.empty());
    };
    asks(launching("notepad"), editor, "launch");
    for (const char* process :
         {"xterm", "gnome-terminal-server", "konsole", "CMD.EXE", "pwsh.exe"}) {
        asks(gesture::type("a"), only(window(1, process)), "terminal");
        asks(gesture::click({5, 5}), only(window(1, process)), "terminal");
        asks(gesture::paste("a"), only(window(1, process)), "terminal");
    }
    winio::WindowInfo console = window(1, "");
    console.window_class = "ConsoleWindowClass";
    asks(gesture::type("a"), only(console), "terminal");
    winio::WindowInfo run = window(1, "explorer.exe");
    run.window_class = "#32770";
    asks(gesture::type("a"), only(run), "terminal");
    asks(gesture::click({5, 5}), only(window(1, "osk.exe")), "keyboard or machine on the screen");
    for (const char* keys : {"windows", "windows+r", "windows+x", "ctrl+escape",
                             "ctrl+shift+escape", "alt+space", "alt+f2"})
        asks(gesture::press(chord(keys)), editor, "system chord");
    asks(gesture::type(std::string(4097, 'a')), editor, "long text");
    asks(gesture::paste(std::string(4097, 'a')), editor, "long text");
    GuardedAction labeled = action(gesture::click({5, 5}), editor);
    labeled.label = "Send message";
    CHECK(guard.judge(labeled, {}).rule == "built_in: label");
    GuardedAction reads;
    reads.effects.push_back({.kind = EffectKind::clipboard_read});
    CHECK(guard.judge(reads, {}).rule == "built_in: read the clipboard");
    GuardedAction written = action(gesture::click({5, 5}), editor);
    written.provenance = Provenance::text;
    CHECK(guard.judge(written, {}).rule == "built_in: call written as text");
}

TEST_CASE("guard: text in several calls for one window counts together, until Enter") {
    Guard guard = with_user_rules(rule(R"({"text":"*rm -rf*"})", "deny"));
    const auto editor = only(window(1, "editor"));
    const auto type = [&](const std::string& text, const GuardSurroundings& around) {
        const GuardedAction it = action(gesture::type(text), around);
        const Decision decision = guard.judge(it, {}).decision;
        if (decision == Decision::allow) guard.carried_out(it, {});
        return decision;
    };
    CHECK(type("rm ", editor) == Decision::allow);
    CHECK(type("-r", editor) == Decision::allow);
    CHECK(type("f /", editor) == Decision::deny);
    CHECK(type("\n", editor) == Decision::allow);
    CHECK(type("f /", editor) == Decision::allow);
    CHECK(type("rm -r", editor) == Decision::allow);
    const auto other = only(window(2, "other"));
    CHECK(type("f /", other) == Decision::allow);
    const GuardedAction key = action(gesture::press(chord("f")), other);
    CHECK(guard.judge(key, {}).decision == Decision::allow);
    CHECK(type("f /", editor) == Decision::deny);
    for (std::uint64_t id = 3; id < 17; ++id)
        CHECK(type("a", only(window(id, "further"))) == Decision::allow);
    CHECK(type("f /", editor) == Decision::deny);
    CHECK(type("a", only(window(17, "further"))) == Decision::allow);
    CHECK(type("f /", editor) == Decision::allow); // forgotten
}

TEST_CASE("guard: keys that are pressed one by one are text") {
    Guard guard = with_user_rules(rule(R"({"text":"*rm*"})", "deny"));
    const auto editor = only(window(1, "editor"));
    const GuardedAction first = action(gesture::press(chord("r")), editor);
    CHECK(guard.judge(first, {}).decision == Decision::allow);
    guard.carried_out(first, {});
    CHECK(judge(guard, gesture::press(chord("m")), editor).decision == Decision::deny);
}

TEST_CASE("guard: rules name hosts and paths in text, in several calls, and in commands") {
    Guard guard = with_user_rules(R"({"rules":[
            {"name":"bank","when":{"host":"*.bank.com"},"then":"deny"},
            {"name":"keys","when":{"path":["*/.ssh/*","C:\\Windows\\*"]},"then":"deny"}]})");
    const auto editor = only(window(1, "editor"));
    const auto decision = [&](const winio::Plan& plan) {
        return judge(guard, plan, editor).decision;
    };
    CHECK(decision(gesture::type("https://www.bank.com/login\n")) == Decision::deny);
    CHECK(decision(gesture::type("WWW.Bank.com")) == Decision::deny);
    CHECK(decision(gesture::paste("see https://a.org and www.bank.com")) == Decision::deny);
    CHECK(decision(gesture::type("https://a.org/www.bank.com")) == Decision::allow);
    CHECK(decision(gesture::type("cat ~/.ssh/id_rsa")) == Decision::deny);
    CHECK(decision(gesture::type("c:/windows/../Windows/System32")) == Decision::deny);
    CHECK(decision(launching("notepad \"C:\\Windows\\win.ini\"")) == Decision::deny);
    CHECK(decision(launching("notepad C:\\notes.txt")) == Decision::ask);
    CHECK(decision(gesture::click({5, 5})) == Decision::allow);

    const GuardedAction first = action(gesture::type("www.ba"), editor);
    CHECK(guard.judge(first, {}).decision == Decision::allow);
    guard.carried_out(first, {});
    CHECK(decision(gesture::type("nk.com")) == Decision::deny);
}

TEST_CASE("guard: a rule allows by host or path only if it covers all of them") {
    const Guard guard = with_user_rules(
        rule(R"({"effect":"launch","command":"firefox *","host":"*.example.com"})", "allow"));
    const auto desktop = only(window(1, "editor"));
    const auto decision = [&](const std::string& command) {
        return judge(guard, launching(command), desktop).decision;
    };
    CHECK(decision("firefox https://docs.example.com/") == Decision::allow);
    CHECK(decision("firefox https://docs.example.com/ https://a.org") == Decision::ask);
    CHECK(decision("firefox notes") == Decision::ask);
}

TEST_CASE("guard: input into a window with higher rights needs approval") {
    const Guard guard;
    winio::WindowInfo root = window(1, "gparted");
    root.elevated = true;
    CHECK(judge(guard, gesture::click({5, 5}), only(root)).rule ==
          "built_in: window with higher rights");
    CHECK(judge(guard, gesture::type("a"), only(root)).decision == Decision::ask);
    CHECK(judge(guard, gesture::scroll({5, 5}, 1), only(root)).decision == Decision::allow);
    CHECK(judge(guard, gesture::click({5, 5}), only(window(1, "gparted"))).decision ==
          Decision::allow);
    const Guard own = with_user_rules(rule(R"({"effect":"click","elevated":false})", "deny"));
    CHECK(judge(own, gesture::click({5, 5}), only(root)).decision == Decision::ask);
    CHECK(judge(own, gesture::click({5, 5}), only(window(1, "x"))).decision == Decision::deny);
    GuardSurroundings empty;
    empty.windows.emplace();
    CHECK(judge(own, gesture::click({5, 5}), empty).decision == Decision::deny);
    CHECK(judge(guard, gesture::click({5, 5}), empty).decision == Decision::allow);
}

TEST_CASE("guard: more than sixty actions within a minute need approval") {
    Guard guard;
    const GuardedAction click = action(gesture::click({5, 5}), only(window(1, "editor")));
    const Guard::Time start{};
    for (int i = 0; i < 60; ++i) {
        CHECK(guard.judge(click, start).decision == Decision::allow);
        guard.carried_out(click, start);
    }
    CHECK(guard.judge(click, start + seconds(59)).rule == "built_in: many actions");
    CHECK(guard.judge(click, start + seconds(60)).decision == Decision::allow);
}

TEST_CASE("guard: a recovery is allowed, but not into a terminal") {
    const Guard guard;
    GuardedAction recovery =
        action(gesture::press(chord("ctrl+escape")), only(window(1, "editor")));
    recovery.provenance = Provenance::recovery;
    CHECK(guard.judge(recovery, {}).decision == Decision::allow);
    recovery.effects = effects_of(gesture::click({5, 5}), only(window(1, "xterm")));
    CHECK(guard.judge(recovery, {}).decision == Decision::ask);
}

// ---- invariants ---------------------------------------------------------------------------------

TEST_CASE("guard: no rule opens the agent's own windows, forbidden chords or the fence") {
    const GuardLevel level = GENERATE(GuardLevel::standard, GuardLevel::strict);
    const Guard guard = with_user_rules(rule("{}", "allow"), level);
    auto around = only(window(1, "xterm"));
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
    around.own_processes = {7, 1001, 1};
    CHECK(judge(guard, gesture::type("a"), around).rule == "invariant: own window");
    CHECK(judge(guard, gesture::click({5, 5}), around).decision == Decision::deny);
    for (const char* keys :
         {"windows+l", "ctrl+alt+f1", "ctrl+alt+f12", "alt+ctrl+backspace", "ctrl+alt+delete",
          "alt+printscreen", "windows+shift+l", "windows+ctrl+alt+f1", "ctrl+alt+shift+f12",
          "windows+ctrl+alt+backspace", "ctrl+alt+shift+delete", "ctrl+alt+pause",
          "ctrl+alt+shift+pause"}) {
        CAPTURE(keys);
        CHECK(judge(guard, gesture::press(chord(keys)), only(window(1, "editor"))).rule ==
              "invariant: forbidden chord");
    }
    CHECK(judge(guard, gesture::press(chord("ctrl+alt+shift+f")), only(window(1, "editor")))
              .decision == Decision::allow);
    auto cropped = only(window(1, "editor", {0, 0, 100, 100}));
    cropped.crop = winio::Rect{200, 0, 100, 100};
    CHECK(judge(guard, gesture::type("a"), cropped).rule == "invariant: outside the chosen area");
    CHECK(judge(guard, gesture::click({250, 50}), cropped).decision == Decision::allow);
    cropped.crop = winio::Rect{50, 0, 100, 100};
    CHECK(judge(guard, gesture::type("a"), cropped).decision == Decision::allow);
}

TEST_CASE("guard: programs as tools need approval, unless a rule names the tool or the command") {
    GuardedAction call;
    call.tool = "weather";
    call.effects.push_back(
        {.kind = EffectKind::program, .window_known = true, .command = "python3 weather.py"});
    CHECK(Guard().judge(call, {}).rule == "built_in: program");
    CHECK(Guard(GuardLevel::strict).judge(call, {}).decision == Decision::ask);
    CHECK(Guard(GuardLevel::off).judge(call, {}).decision == Decision::allow);
    Guard guard(GuardLevel::strict);
    guard.add({permit_program_tool("weather")}, RuleOrigin::user);
    CHECK(guard.judge(call, {}).decision == Decision::allow);
    guard.add(parse_guard_rules(rule(R"({"command":"*weather.py"})", "deny"), "file"),
              RuleOrigin::administrator);
    CHECK(guard.judge(call, {}).decision == Decision::deny);
    call.tool = "other";
    call.effects[0].command = "rm";
    CHECK(guard.judge(call, {}).decision == Decision::ask);
}

TEST_CASE("guard: keyboard input into a password field needs approval") {
    const Guard guard;
    auto around = only(window(1, "editor"));
    around.password_fields = {{winio::WindowId{1}, {10, 10, 50, 20}, true}};
    CHECK(judge(guard, gesture::type("a"), around).rule == "built_in: password field");
    CHECK(judge(guard, gesture::press(chord("ctrl+v")), around).decision == Decision::ask);
    CHECK(judge(guard, gesture::click({20, 20}), around).decision == Decision::allow);
    around.password_fields[0].focused = false;
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
    around.password_fields[0] = {winio::WindowId{2}, {10, 10, 50, 20}, true}; // another window's
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
}

TEST_CASE(
    "guard: a rule can be about clicks into password fields, of no program with another kind") {
    const Guard guard = with_user_rules(rule(R"({"effect":"click","kind":"password"})", "deny"));
    auto around = only(window(1, "editor"));
    around.password_fields = {{winio::WindowId{1}, {10, 10, 50, 20}, false}};
    CHECK(judge(guard, gesture::click({20, 20}), around).decision == Decision::deny);
    CHECK(judge(guard, gesture::click({80, 20}), around).decision == Decision::allow);
    around.windows->front().process = "xterm";
    CHECK(judge(guard, gesture::click({20, 20}), around).rule == "built_in: terminal");
}

TEST_CASE("guard: a page of the panel or of a report is the agent's own") {
    auto around = only(window(1, "chromium"));
    around.windows->front().title = "Asking the model – Eyehand - Chromium";
    CHECK(judge(Guard(), gesture::click({5, 5}), around).rule == "invariant: own window");
    around.windows->front().title = "Eyehand: a repository - Chromium";
    CHECK(judge(Guard(), gesture::click({5, 5}), around).decision == Decision::allow);
}

TEST_CASE("guard: only the nearest ancestor with a window is the agent's own") {
    const Guard guard;
    auto around = only(window(1, "editor"));
    around.windows->push_back(window(2, "session"));
    around.windows->push_back(window(3, "launcher"));
    around.own_processes = {7, 1003, 1001};
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
    around = only(window(1, "explorer.exe"));
    around.own_processes = {7, 1001};
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
}

TEST_CASE("guard: the keyboard may reach the chosen window and others of its process") {
    const Guard guard;
    auto around = only(window(2, "editor"));
    around.chosen_window = window(1, "editor");
    CHECK(judge(guard, gesture::type("a"), around).rule == "invariant: outside the chosen area");
    around.chosen_window->process_id = around.windows->front().process_id;
    CHECK(judge(guard, gesture::type("a"), around).decision == Decision::allow);
}

// ---- rules --------------------------------------------------------------------------------------

TEST_CASE(
    "guard: the first matching rule of the earliest origin decides, and the strictest effect") {
    Guard guard = with_user_rules(rule(R"({"effect":"launch"})", "allow"));
    const winio::Plan launch = launching("notepad");
    CHECK(judge(guard, launch, {}).rule == "user: mine");
    CHECK(judge(guard, launch, {}).decision == Decision::allow);
    guard.add(rules(R"({"rules":[{"name":"theirs","when":{"command":"*note*"},"then":"deny"}]})"),
              RuleOrigin::administrator);
    CHECK(judge(guard, launch, {}).rule == "administrator: theirs");
    GuardedAction both = action(gesture::click({5, 5}), only(window(1, "editor")));
    both.effects.push_back(effects_of(launch, {})[0]);
    CHECK(guard.judge(both, {}).decision == Decision::deny);
    CHECK_THROWS_AS(guard.add({}, RuleOrigin::built_in), std::invalid_argument);
}

TEST_CASE("guard: a condition on something unknown asks and denies, but never allows") {
    const GuardSurroundings unknown;
    const auto when = R"({"process":"editor"})";
    CHECK(judge(with_user_rules(rule(when, "deny")), gesture::type("a"), unknown).decision ==
          Decision::deny);
    // The window could also be the agent's own.
    CHECK(judge(with_user_rules(rule(when, "allow")), gesture::type("a"), unknown).rule ==
          "invariant: own window");
    // A window whose process is unknown.
    CHECK(judge(with_user_rules(rule(when, "allow"), GuardLevel::strict), gesture::type("a"),
                only(window(1, "")))
              .decision == Decision::ask);
    // The fence, if it is unknown which window has the focus.
    GuardSurroundings cropped;
    cropped.crop = winio::Rect{0, 0, 10, 10};
    CHECK(judge(Guard(), gesture::type("a"), cropped).decision == Decision::deny);
}

TEST_CASE("guard: strict asks before each action, and off allows everything") {
    const auto around = only(window(1, "editor"));
    for (const winio::Plan& plan : {gesture::move({5, 5}), gesture::click({5, 5}),
                                    gesture::type("a"), gesture::scroll({5, 5}, 1)})
        CHECK(judge(Guard(GuardLevel::strict), plan, around).rule == "built_in: strict");
    auto own = only(window(1, "xterm"));
    own.own_processes = {1001};
    CHECK(judge(Guard(GuardLevel::off), gesture::type("a"), own).rule == "off");
    CHECK(judge(Guard(GuardLevel::strict), waiting(), around).decision == Decision::allow);
}

TEST_CASE("guard: a rule with every member") {
    const std::vector<GuardRule> all = rules(R"({
        // A comment.
        "rules": [{"name": "all", "reason": "because", "comment": "for readers", "then": "deny",
          "when": {"effect": ["click", "text"], "tool": "click*", "provenance": "native",
                   "process": ["a", "b"], "class": "c", "title": "t", "kind": "terminal",
                   "chord": "ctrl+?", "text": {"matches": "*x*", "longer_than": 3},
                   "path": "C:\\x\\*", "host": "*.example.com", "elevated": true,
                   "command": "d*", "label": "l", "rate": 5, "fence": "inside"}}]})");
    REQUIRE(all.size() == 1);
    const GuardRule& it = all[0];
    CHECK(it.name == "all");
    CHECK(it.reason == "because");
    CHECK(it.then == Decision::deny);
    CHECK(it.when.effects == std::vector{EffectKind::click, EffectKind::text});
    CHECK(it.when.processes == std::vector<std::string>{"a", "b"});
    CHECK(it.when.texts == std::vector<std::string>{"*x*"});
    CHECK(it.when.text_longer_than == 3U);
    CHECK(it.when.paths == std::vector<std::string>{"C:/x/*"});
    CHECK(it.when.hosts == std::vector<std::string>{"*.example.com"});
    CHECK(it.when.elevated == true);
    CHECK(it.when.more_per_minute_than == 5);
    CHECK(it.when.outside_area == false);
}

namespace {

/// The words after `before` in the error message of these rules: "a, b, c".
std::set<std::string> listed(const std::string& rules, const std::string& before) {
    try {
        (void)parse_guard_rules(rules, "guard.json");
        return {};
    } catch (const Error& error) {
        std::string text = error.what();
        text.erase(0, text.find(before) + before.size());
        std::set<std::string> words;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(", ", at), text.size());
            words.insert(text.substr(at, end - at));
            at = end + 2;
        }
        return words;
    }
}

std::set<std::string> names_in(const json::value& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.as_object()) names.emplace(name);
    return names;
}

std::set<std::string> words_in(const json::value& array) {
    std::set<std::string> words;
    for (const json::value& word : array.as_array()) words.emplace(word.as_string());
    return words;
}

} // namespace

TEST_CASE("guard: the schema in the docs describes the rules that can be read") {
    const json::value schema =
        json::parse(test::read_file(test::source_folder() / "docs/guard.schema.json"));
    const auto at = [&](const char* pointer) -> const json::value& {
        return schema.at_pointer(pointer);
    };
    const std::string known = "known members: ";
    CHECK(names_in(at("/properties")) == listed(R"({"x":1})", known));
    CHECK(names_in(at("/$defs/rule/properties")) == listed(R"({"rules":[{"x":1}]})", known));
    const json::value& conditions = at("/$defs/condition/properties");
    CHECK(names_in(conditions) == listed(rule(R"({"x":1})", "ask"), known));
    CHECK(names_in(at("/$defs/condition/properties/text/oneOf/1/properties")) ==
          listed(rule(R"({"text":{"x":1}})", "ask"), known));
    for (const char* member : {"effect", "provenance", "kind"}) {
        CAPTURE(member);
        CHECK(words_in(at(fmt::format("/$defs/{}/enum", member).c_str())) ==
              listed(rule(fmt::format(R"({{"{}":"@"}})", member), "ask"), "allowed values: "));
    }
    for (const json::value& then : at("/$defs/rule/properties/then/enum").as_array())
        CHECK_NOTHROW(parse_guard_rules(rule("{}", std::string(then.as_string())), "guard.json"));
    int examples = 0;
    for (const auto& [name, condition] : conditions.as_object()) {
        for (const json::value& example : condition.at("examples").as_array()) {
            json::object when;
            when[name] = example;
            INFO(json::serialize(when));
            CHECK_NOTHROW(parse_guard_rules(rule(json::serialize(when), "ask"), "guard.json"));
            ++examples;
        }
    }
    CHECK(examples > 20);
}

TEST_CASE("guard: a mistake in a file names the member and the reason") {
    const auto problem = [](const std::string& text) -> std::string {
        try {
            (void)parse_guard_rules(text, "guard.json");
        } catch (const Error& error) {
            CHECK(error.code() == errc::bad_guard);
            return error.what();
        }
        return "none";
    };
    CHECK_THAT(problem("{"), ContainsSubstring("guard.json: line 1"));
    CHECK_THAT(problem("{}"), ContainsSubstring("\"rules\" is missing"));
    CHECK_THAT(problem(R"({"rules":[{"when":{},"then":"ask"}]})"),
               ContainsSubstring("rules[0]: \"name\" is missing"));
    CHECK_THAT(problem(R"({"rules":[{"name":"a","then":"ask"}]})"),
               ContainsSubstring("\"when\" is missing"));
    CHECK_THAT(problem(rule(R"({"proces":"a"})", "ask")),
               ContainsSubstring("did you mean \"process\"?"));
    CHECK_THAT(problem(rule(R"({"effect":"clik"})", "ask")),
               ContainsSubstring("did you mean \"click\"?"));
    CHECK_THAT(problem(rule("{}", "maybe")), ContainsSubstring("\"then\" must be"));
    CHECK_THAT(problem(rule(R"({"process":[]})", "deny")), ContainsSubstring("is empty"));
    CHECK_THAT(problem(rule(R"({"title":"Bank*"})", "allow")),
               ContainsSubstring("any program can choose a title"));
    CHECK(problem(rule(R"({"title":"Bank*"})", "deny")) == "none");
    CHECK_THAT(problem(rule(R"({"fence":"beside"})", "deny")), ContainsSubstring("\"fence\""));
    CHECK_THROWS_AS(load_guard_rules("no such file.json"), Error);
}

TEST_CASE("guard: patterns match the whole text, regardless of case") {
    const auto matches = [](const std::string& pattern, const std::string& command) {
        const winio::Plan plan = launching(command);
        return judge(with_user_rules(rule("{\"command\":\"" + pattern + "\"}", "deny")), plan, {})
                   .decision == Decision::deny;
    };
    CHECK(matches("notepad", "NotePad"));
    CHECK_FALSE(matches("notepad", "notepad x"));
    CHECK(matches("*pad*", "notepad x"));
    CHECK(matches("n?te*x", "notepad x"));
    CHECK_FALSE(matches("n?te*y", "notepad x"));
    CHECK(matches("*a*b*", "xaab"));
    CHECK(matches("***", "x"));
    CHECK_FALSE(matches("?", "xy"));
}
