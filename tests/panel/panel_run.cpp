// A run for tests of the page in Chromium: a desktop in memory, and a model that replies on
// command.
//   eyehand-panel-run [--profile NAME] [--script clicks|markup|invisible|demo] [--turns N] [--annotate panel]
//                     [--approve always] [--boot none] [--drag slow]
// The script "demo" always uses the profile planner.
//
// The first line of the output is the panel's address. Then follow "asked N" at the N-th request to
// the model, "pressed X Y" when the left button is pressed at that position, and "finished OUTCOME".
// The input has one command per line:
//   go     completes the model's next reply
//   words  sends the first half of the text of the next reply
//   again  starts another run on the same page after this one has ended
// The end of the input stops the run and ends the program.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "frame_set.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

using namespace eyehand;

namespace {

using namespace agent;
using namespace std::chrono_literals;

void print(const std::string& line) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::puts(line.c_str());
    std::fflush(stdout);
}

struct Options {
    std::string profile = "observer";
    std::string script = "clicks";
    int turns = 3;
    Source annotation = Source::library;
    GuardLevel guard = GuardLevel::off;
    Source first_reply = Source::library;
    std::chrono::milliseconds drag_step{0};
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const std::string value = argv[i + 1];
        if (name == "--profile")
            options.profile = value;
        else if (name == "--script")
            options.script = value;
        else if (name == "--turns")
            options.turns = std::stoi(value);
        else if (name == "--annotate" && value == "panel")
            options.annotation = Source::client;
        else if (name == "--approve" && value == "always")
            options.guard = GuardLevel::strict;
        else if (name == "--boot" && value == "none")
            options.first_reply = Source::client;
        else if (name == "--drag" && value == "slow")
            options.drag_step = 60s;
        else
            throw std::invalid_argument("unknown option " + name + " " + value);
    }
    if (options.script == "demo") options.profile = "planner";
    return options;
}

// ---- the model ----------------------------------------------------------------------------------

/// One reply of the script.
struct Line {
    std::string text{};
    std::string tool{};
    std::string arguments_json{};
    std::string reasoning{};
};

/// Passes the commands of standard input to the thread of the run.
class Prompter {
public:
    enum class Cue { words, whole };
    void give(Cue cue) {
        const std::lock_guard lock(mutex_);
        cues_.push_back(cue);
        news_.notify_all();
    }
    /// The next cue; nothing if the run stops.
    std::optional<Cue> wait(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (cues_.empty()) {
            if (stop.stop_requested()) return std::nullopt;
            news_.wait_for(lock, 20ms);
        }
        const Cue cue = cues_.front();
        cues_.pop_front();
        return cue;
    }

private:
    std::mutex mutex_;
    std::condition_variable news_;
    std::deque<Cue> cues_;
};

class PromptedModel final : public vlm::ChatModel {
public:
    PromptedModel(std::vector<Line> script, Prompter& prompter)
        : script_(std::move(script)), prompter_(prompter) {}

    vlm::ChatReply reply(const vlm::ChatRequest&, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override {
        const Line line = script_.at(std::min(asked_, script_.size() - 1));
        print("asked " + std::to_string(++asked_));
        std::size_t said = 0;
        const auto say = [&](std::size_t end) {
            if (on_delta && end > said)
                on_delta({vlm::Delta::Kind::text, line.text.substr(said, end - said)});
            said = end;
        };
        if (on_delta && !line.reasoning.empty())
            on_delta({vlm::Delta::Kind::reasoning, line.reasoning});
        for (;;) {
            const auto cue = prompter_.wait(stop);
            if (!cue) throw vlm::Error(vlm::errc::cancelled, "the reply was canceled");
            if (*cue == Prompter::Cue::whole) break;
            say(line.text.size() / 2); // the scripts are ASCII
        }
        say(line.text.size());
        vlm::ChatReply reply{.text = line.text, .reasoning = line.reasoning};
        if (!line.tool.empty())
            reply.tool_calls.push_back(
                {"call_" + std::to_string(asked_), line.tool, line.arguments_json, {}});
        // Typical numbers of a small model on a graphics card.
        const int turn = static_cast<int>(asked_);
        reply.usage = {.prompt_tokens = 1900 + 560 * turn,
                       .cached_tokens = turn == 1 ? 0 : 1300 + 560 * turn,
                       .completion_tokens = 48 + turn * 37 % 61};
        reply.wait = std::chrono::milliseconds(310 + turn * 41 % 90);
        reply.total = std::chrono::milliseconds(1250 + turn * 517 % 1400);
        return reply;
    }

private:
    std::vector<Line> script_;
    Prompter& prompter_;
    std::size_t asked_ = 0;
};

// ---- the scripts --------------------------------------------------------------------------------

const std::string markup =
    R"(<script>document.title='taken'</script><img src=x onerror="document.title='taken'"><b>bold</b>)";

std::string escaped(const std::string& text) {
    std::string json;
    for (const char character : text) {
        if (character == '"') json += '\\';
        json += character;
    }
    return json;
}

int x_of(int turn) { return 100 + turn * 130 % 800; }
int y_of(int turn) { return 200 + turn * 90 % 600; }

std::vector<Line> clicks(const Options& options) {
    const std::string evidence(120, 'e');
    std::vector<Line> script;
    const std::string& profile = options.profile;
    if (profile == "commander")
        script.push_back({"1. click (now) 2. check (later)", "spawn_operator",
                          R"({"operator_instructions":"Click OK.","rationale":"It is next."})"});
    if (profile == "planner")
        script.push_back({"1. click (now) 2. check (later)", "update_execution_plan",
                          R"({"instructions":"Click OK.","reasoning":"It is next."})"});
    if (profile == "basic") script.push_back({"I look first.", "take_screenshot", "{}"});
    for (int turn = 1; turn <= options.turns; ++turn) {
        const int x = x_of(turn);
        const int y = y_of(turn);
        const std::string words = fmt::format("In turn {} I click the button.", turn);
        if (profile == "story")
            script.push_back({fmt::format(
                R"({{"observation":"{}","bboxes":[{{"x1":{},"y1":{},"x2":{},"y2":{}}}],)"
                R"("actions":[{{"name":"click","x1":{},"y1":{}}},{{"name":"drag","x1":{},"y1":{},"x2":900,"y2":850}}]}})",
                words, x - 60, y - 40, x + 60, y + 40, x, y, x, y)});
        else if (profile == "commander")
            script.push_back(
                {words, "click_element",
                 fmt::format(R"({{"justification":"asked","label":"OK","position":[{},{}]}})", x,
                             y)});
        else if (profile == "planner")
            script.push_back(
                {words, "click_screen_element",
                 fmt::format(R"({{"reasoning":"asked","element_name":"OK","position":[{},{}]}})", x,
                             y)});
        else if (profile == "basic")
            script.push_back({words, "move_mouse", fmt::format(R"({{"x":{},"y":{}}})", x, y)});
        else
            script.push_back({words, "click_element",
                              fmt::format(R"({{"label":"OK","box":[{},{}]}})", x, y),
                              fmt::format("Turn {}: the button is there.", turn)});
    }
    if (profile == "story")
        script.push_back({R"({"observation":"It is done.","bboxes":[],"actions":[],"done":true})"});
    else if (profile == "commander")
        script.push_back(
            {"Done.", "report_completion", fmt::format(R"({{"evidence":"{}"}})", evidence)});
    else if (profile == "planner")
        script.push_back(
            {"Done.", "report_mission_complete", fmt::format(R"({{"evidence":"{}"}})", evidence)});
    else
        script.push_back({"It is done."});
    return script;
}

/// HTML in every place that shows foreign text.
std::vector<Line> with_markup(const Options& options) {
    const std::string text = escaped(markup);
    if (options.profile == "story")
        return {{R"({"observation":")" + text + R"(","bboxes":[],"actions":[]})"},
                {R"({"observation":")" + text + R"(","bboxes":[],"actions":[],"done":true})"}};
    return {{markup, "list_windows", "{}", markup},
            {markup, "click_element", R"({"label":")" + text + R"(","box":[300,400]})"},
            {markup, text, R"({"a":")" + text + "\"}"},
            {markup}};
}

/// Reverses the text after it, and hides a text in tags.
const std::string disguise = "a\xE2\x80\xAE"
                             "cod.exe\xE2\x80\x8B\xF3\xA0\x81\x81";

/// Invisible characters in every place that shows foreign text.
std::vector<Line> with_disguise() {
    return {{disguise, "list_windows", "{}", disguise},
            {disguise, "click_element", R"({"label":")" + disguise + R"(","box":[300,400]})"},
            {disguise, disguise, R"({"a":")" + disguise + "\"}"},
            {disguise}};
}

/// A run of the planner: it writes a letter and is about to save it.
std::vector<Line> demo() {
    const auto click = [](const char* reason, const char* name, int x, int y) {
        return fmt::format(R"({{"reasoning":"{}","element_name":"{}","position":[{},{}]}})", reason,
                           name, x, y);
    };
    return {
        {"1. Write the letter into the empty Notepad window (now)\n"
         "2. Open File > Save as... (later)\n"
         "3. Give it the name letter.txt and save (later)\n"
         "4. Check that the title bar reads letter.txt (later)",
         "update_execution_plan",
         R"({"instructions":"Click into the text area of Notepad and type the letter: the greeting, then the figures. )"
         R"(When all lines are there, save it by File > Save as... under the name letter.txt.","reasoning":"Notepad is )"
         R"(open and empty, so the letter comes first."})",
         "Nothing is written yet. The window is open, so one instruction covers writing and "
         "saving."},
        {"SCREEN_SHOWS: an empty Notepad window.\nNEXT_STEP: click into its text area, so that it "
         "has the focus.",
         "click_screen_element",
         click("The text area needs the focus before I type.", "text area", 421, 453)},
        {"LAST_ACTION_RESULT: the caret blinks in the first line.\nNEXT_STEP: type the letter.",
         "type_text_input",
         R"({"reasoning":"The text area has the focus.","text":"Dear team, the quarterly figures are attached.\n)"
         R"(Line 1: lorem ipsum dolor sit amet, consectetur adipiscing elit\n"})"},
        {"LAST_ACTION_RESULT: all lines are there.\nNEXT_STEP: open the File menu to save the "
         "letter.",
         "click_screen_element", click("The File menu has Save as...", "File", 21, 51)},
        {"LAST_ACTION_RESULT: the File menu is open.\nNEXT_STEP: choose Save as..., which asks for "
         "a name.",
         "click_screen_element", click("The letter has no name yet.", "Save as...", 47, 146)},
        {"LAST_ACTION_RESULT: the dialog Save As is open, and the proposed name *.txt is "
         "selected.\n"
         "NEXT_STEP: click the field for the file name, so that what I type next replaces it, and "
         "then press Enter.",
         "click_screen_element", click("The name comes into this field.", "File name", 283, 495),
         "The name field shows *.txt, selected. Typing replaces it."},
    };
}

// ---- the desktop --------------------------------------------------------------------------------

void show_frame(winio::Image& screen, const winio::Image& frame) {
    for (int y = 0; y < screen.height(); ++y) {
        const auto from = frame.view().row(y);
        std::copy_n(from.begin(), static_cast<std::size_t>(screen.width()) * 4,
                    screen.row(y).begin());
    }
}

/// Paints a screen that changes after each click.
void repaint(winio::testing::MemoryDesktop& desktop, const std::string& script, int clicks) {
    if (script == "demo") {
        static constexpr std::array<std::size_t, 5> frames{1, 1, 3, 4,
                                                           5}; // notepad, ..., the dialog
        show_frame(desktop.screen(), frame_set::screenshots().at(
                                         frames.at(static_cast<std::size_t>(std::min(clicks, 4)))));
        return;
    }
    winio::Image& screen = desktop.screen();
    screen.fill({0, 0, screen.width(), screen.height()}, {96, 72, 40, 255});
    screen.fill({20 + 15 * clicks, 30, 300, 180}, {240, 240, 240, 255});
    screen.fill({20 + 15 * clicks, 30, 300, 24}, {200, 120, 60, 255});
}

struct Stage {
    Options options;
    winio::testing::MemoryDesktop desktop;
    Profile profile;
    AgentOptions agent_options;

    explicit Stage(const Options& given)
        : options(given),
          desktop(given.script == "demo" ? winio::Size{1120, 700} : winio::Size{801, 601}),
          profile(load_profile(given.profile)) {
        agent_options.annotation = options.annotation;
        agent_options.guard = Guard(options.guard);
        agent_options.approvals = Approvals::user;
        agent_options.first_reply = options.first_reply;
        if (options.script != "demo")
            agent_options.settle.minimum = agent_options.settle.quiet = 0ms;
        if ((options.script == "markup" && options.profile == "observer") || is_disguised())
            agent_options.with = {"list_windows"};
        if (options.first_reply == Source::client && profile.settings<VisualLoopSettings>())
            profile.settings<VisualLoopSettings>()->boot.clear();
        profile.max_turns = std::max(profile.max_turns, options.turns + 5);
        profile.pace.drag_step_delay = options.drag_step;
        desktop.set_windows({{.id = winio::WindowId{1},
                              .title = is_disguised() ? disguise : markup,
                              .bounds = {0, 0, 300, 200},
                              .foreground = true}});
        repaint(desktop, options.script, 0);
        int acts = 0;
        desktop.on_input = [this, acts](const winio::InputEvent& event) mutable {
            const auto* button = std::get_if<winio::ButtonChange>(&event);
            const bool pressed = button != nullptr && button->press == winio::Press::down;
            if (pressed)
                print(fmt::format("pressed {} {}", desktop.pointer()->x, desktop.pointer()->y));
            const auto* typed = std::get_if<winio::TypedScalar>(&event);
            if (pressed || (typed != nullptr && typed->scalar == U'.'))
                repaint(desktop, options.script, ++acts);
        };
    }
    [[nodiscard]] bool is_disguised() const { return options.script == "invisible"; }
    [[nodiscard]] std::vector<Line> script() const {
        if (options.script == "markup") return with_markup(options);
        if (is_disguised()) return with_disguise();
        return options.script == "demo" ? demo() : clicks(options);
    }
    [[nodiscard]] std::string task() const {
        if (options.script == "markup") return markup;
        if (is_disguised()) return disguise;
        return options.script == "demo"
                   ? "Write a short letter to the team and save it as letter.txt"
                   : "click the button";
    }
};

int work(const Options& options) {
    const test::TempFolder folder;
    Prompter prompter;
    panel::Panel panel;
    print(panel.url());

    std::mutex mutex; // protects the variables that both threads use
    std::condition_variable news;
    RunControl* going = nullptr;
    bool ended = false;
    int wanted = 1;

    std::thread runs([&] {
        std::vector<std::unique_ptr<RunControl>> controls; // the page may outlive a run
        for (int number = 1;; ++number) {
            controls.push_back(std::make_unique<RunControl>());
            RunControl& control = *controls.back();
            {
                std::unique_lock lock(mutex);
                while (!ended && wanted < number) news.wait(lock);
                if (ended) return;
                going = &control;
            }
            Stage stage(options);
            PromptedModel model(stage.script(), prompter);
            RunDirectory directory = RunDirectory::create(folder.path());
            Agent agent(stage.desktop, model, stage.profile, built_in_tools(), stage.agent_options);
            const auto seat = panel.show(directory, control, stage.profile, options.annotation);
            const RunFinished result = agent.run(stage.task(), directory, control, seat.get());
            print("finished " + std::string(to_string(result.outcome)));
        }
    });
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "go") prompter.give(Prompter::Cue::whole);
        if (line == "words") prompter.give(Prompter::Cue::words);
        if (line != "again") continue;
        const std::lock_guard lock(mutex);
        ++wanted;
        news.notify_all();
    }
    {
        const std::lock_guard lock(mutex);
        ended = true;
        if (going != nullptr) going->stop_now();
        news.notify_all();
    }
    runs.join();
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return work(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
