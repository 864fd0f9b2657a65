#include "sign.hpp"

#include "eventually.hpp"
#include "temp_folder.hpp"
#include "test_window.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

namespace injection_tests {
namespace {

using namespace eyehand;
using x11_tests::Process;

using Command = std::vector<std::string>;

// Nothing else on the desktop has this color.
constexpr const char* ink_name = "#c00060";
constexpr winio::Color ink_color{.blue = 0x60, .green = 0x00, .red = 0xC0};
constexpr const char* paper_name = "#ffffe0";

/// The window of a program.
class ProgramWindow final : public Sign {
public:
    /// `command_in` returns the command of the program, which may use the folder.
    ProgramWindow(winio::Desktop& desktop, std::string title,
                  const std::function<Command(const test::TempFolder& folder)>& command_in)
        : desktop_(desktop), title_(std::move(title)), process_(logged(command_in(folder_))) {
        (void)test::eventually([&] { return find() || process_.has_ended(); });
        INFO(test::read_file(log()));
        REQUIRE(find());
    }
    ~ProgramWindow() override {
        // A browser that is killed leaves processes, which still write into its folder.
        try {
            if (const auto window = find())
                desktop_.windows()->apply({window->id, winio::WindowAction::close, {}});
            (void)test::eventually([&] { return process_.has_ended(); });
        } catch (const winio::Error&) { // NOLINT(bugprone-empty-catch): the process is ended anyway
        }
    }
    ProgramWindow(const ProgramWindow&) = delete;
    ProgramWindow& operator=(const ProgramWindow&) = delete;
    [[nodiscard]] winio::Rect area() const override {
        const auto found = find();
        REQUIRE(found);
        return found->bounds;
    }
    [[nodiscard]] winio::Color ink() const override { return ink_color; }

private:
    [[nodiscard]] std::filesystem::path log() const { return folder_ / "log"; }
    /// The command with its messages in the log.
    [[nodiscard]] Command logged(Command command) const {
        std::ofstream(log()).flush(); // exists before the shell runs
        Command words{"sh", "-c", R"(log=$0; exec "$@" >"$log" 2>&1)", log().string()};
        words.insert(words.end(), command.begin(), command.end());
        return words;
    }
    [[nodiscard]] std::optional<winio::WindowInfo> find() const {
        return winio::find_window(desktop_.windows()->list(), {.title = title_});
    }

    winio::Desktop& desktop_;
    std::string title_;
    test::TempFolder folder_; // removed after the process has ended
    Process process_;
};

/// A page with this text. It receives the title after its first frame is drawn.
void write_page(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << fmt::format(
        R"(<!doctype html><html lang="en"><meta charset="utf-8"><title>Loading</title>
<body style="margin: 0; background: {0}; color: {1}; font: bold 40px sans-serif">
<p style="margin: 20px; white-space: nowrap">{2}</p>
<script>
onload = () => requestAnimationFrame(() => requestAnimationFrame(() => document.title = "{2}"));
</script>)",
        paper_name, ink_name, text);
}

std::string browser() {
    const char* const variable = std::getenv("EYEHAND_CHROMIUM");
    std::string file = variable == nullptr ? "/usr/bin/chromium" : variable;
    INFO("Chromium is not installed at " << file << ": run scripts/setup --tests");
    REQUIRE(std::filesystem::exists(file));
    return file;
}

} // namespace

// In a terminal, without its cursor.
std::unique_ptr<Sign> open_text(winio::Desktop& desktop, const std::string& text) {
    return std::make_unique<ProgramWindow>(desktop, "Note", [&](const test::TempFolder&) {
        return Command{"xterm",
                       "-T",
                       "Note",
                       "-geometry",
                       "40x3-40+60",
                       "-fg",
                       ink_name,
                       "-bg",
                       paper_name,
                       "-e",
                       "sh",
                       "-c",
                       R"(printf '\033[?25l%s' "$0"; exec cat)",
                       text};
    });
}

std::unique_ptr<Sign> open_page(winio::Desktop& desktop, const std::string& text) {
    return std::make_unique<ProgramWindow>(desktop, text, [&](const test::TempFolder& folder) {
        write_page(folder / "page.html", text);
        // In the bottom right corner, so that victims have room.
        constexpr winio::Size size{640, 300};
        const winio::Rect display = desktop.displays().front().bounds;
        return Command{browser(), "--app=file://" + (folder / "page.html").string(),
                       "--user-data-dir=" + (folder / "profile").string(),
                       fmt::format("--window-position={},{}", display.right() - size.width - 20,
                                   display.bottom() - size.height - 60),
                       fmt::format("--window-size={},{}", size.width, size.height),
                       // For root, and without a bar that warns of it.
                       "--no-sandbox", "--test-type",
                       // Without a GPU, questions, messages and requests to servers.
                       "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                       "--no-default-browser-check", "--password-store=basic",
                       "--disable-features=Translate", "--lang=en",
                       "--disable-background-networking", "--disable-component-update",
                       "--disable-sync", "--disable-quic"};
    });
}

} // namespace injection_tests
