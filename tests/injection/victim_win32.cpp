#include "terminal_victim.hpp"

#include "eyehand/base/utf16.hpp"

#include "eventually.hpp"
#include "program.hpp"
#include "test_window.hpp"

#include <exception>
#include <fstream>

namespace injection_tests {
namespace {

using namespace eyehand;

/// Of a script in the folder of the shell.
constexpr const char* command_name = "x";

class Window final : public Victim {
public:
    Window(winio::Desktop& desktop, const std::string& title) : window_(desktop) {
        window_.set_title(title);
    }
    [[nodiscard]] winio::Point target() const override { return center_of(window_.state().area); }
    [[nodiscard]] bool was_clicked() const override { return window_.state().area_presses > 0; }
    [[nodiscard]] std::string text() const override { return window_.text(); }

private:
    TestWindow window_;
};

std::wstring in_quotes(const std::filesystem::path& path) { return L"\"" + path.wstring() + L"\""; }

std::wstring command_of(TerminalProgram program, const TerminalFiles& files) {
    if (program == TerminalProgram::shell) {
        const std::filesystem::path folder = files.mark.parent_path();
        std::ofstream(folder / (std::string(command_name) + ".cmd")) << creates(files.mark) << '\n';
        return L"cmd.exe /d /k cd /d " + in_quotes(folder) + L" & type nul > " +
               in_quotes(files.ready);
    }
    return in_quotes(test::program_file("eyehand-test-console")) +
           (program == TerminalProgram::mouse ? L" mouse " : L" confirmation ") +
           in_quotes(files.ready) + L" " + in_quotes(files.mark);
}

class Terminal final : public TerminalVictim {
public:
    Terminal(winio::Desktop& desktop, const std::string& title, TerminalProgram program,
             const TerminalFiles& files)
        : TerminalVictim(desktop, title),
          process_(command_of(program, files), base::to_wide(title)) {
        REQUIRE(test::eventually([&] { return std::filesystem::exists(files.ready) && window(); }));
        desktop_.windows()->apply({window()->id, winio::WindowAction::focus, {}});
        REQUIRE(window()->foreground);
    }
    ~Terminal() override {
        // The process of the window: under Wine the console, which stays if only its program ends.
        try {
            const winio::win32::KernelObject console(
                OpenProcess(PROCESS_TERMINATE, FALSE, window().value().process_id));
            TerminateProcess(console.get(), 1);
            CHECK(test::eventually([&] { return !window(); }));
        } catch (const std::exception& error) {
            FAIL_CHECK(error.what());
        }
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

private:
    TestProcess process_;
};

} // namespace

std::unique_ptr<Victim> open_window(winio::Desktop& desktop, const std::string& title) {
    return std::make_unique<Window>(desktop, title);
}

std::unique_ptr<Victim> open_terminal(winio::Desktop& desktop, const std::string& title,
                                      TerminalProgram program, const TerminalFiles& files) {
    return std::make_unique<Terminal>(desktop, title, program, files);
}

std::string creates(const std::filesystem::path& file) {
    return "cmd /d /c type nul > \"" + file.string() + "\"";
}

// The consoles of Wine 8 ignore typed characters, which are not keys of the keyboard.
std::vector<std::string> command_keys() { return {command_name, "enter"}; }

// Not cmd, which does not read arguments in quotes as other programs do.
std::vector<std::string> lists(const std::filesystem::path& folder) {
    return {test::program_file("eyehand-test-console").string(), "list", folder.string()};
}

std::vector<std::string> writes(const std::string& text) {
    return {test::program_file("eyehand-test-console").string(), "say", text};
}

} // namespace injection_tests
