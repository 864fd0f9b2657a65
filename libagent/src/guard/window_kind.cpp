#include "guard/window_kind.hpp"

#include "guard/pattern.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace eyehand::agent {
namespace {

/// An empty pattern matches everything; both must match.
struct Program {
    std::string_view process;
    std::string_view window_class;
    WindowKind kind;
};

// Names of programs in Debian 12, Windows 11 and Wine 8. A class is used where a window does not tell
// its process, or where the process is not specific.
constexpr std::array programs{
    // Terminals on X11
    Program{"*term", "", WindowKind::terminal}, // xterm, uxterm, lxterm, qterm, roxterm, wezterm
    Program{"*terminal*", "", WindowKind::terminal}, // gnome-terminal-server, xfce4-terminal
    Program{"konsole*", "", WindowKind::terminal},
    Program{"kitty", "", WindowKind::terminal},
    Program{"alacritty*", "", WindowKind::terminal},
    Program{"terminator", "", WindowKind::terminal},
    Program{"tilix", "", WindowKind::terminal},
    Program{"urxvt*", "", WindowKind::terminal},
    Program{"rxvt*", "", WindowKind::terminal},
    Program{"st", "", WindowKind::terminal},
    Program{"guake", "", WindowKind::terminal},
    Program{"yakuake", "", WindowKind::terminal},
    Program{"foot", "", WindowKind::terminal},
    Program{"", "*term", WindowKind::terminal},
    Program{"", "*terminal*", WindowKind::terminal},
    // Consoles on Windows
    Program{"cmd.exe", "", WindowKind::terminal},
    Program{"powershell*.exe", "", WindowKind::terminal},
    Program{"pwsh.exe", "", WindowKind::terminal},
    Program{"conhost.exe", "", WindowKind::terminal},
    Program{"openconsole.exe", "", WindowKind::terminal},
    Program{"wsl.exe", "", WindowKind::terminal},
    Program{"bash.exe", "", WindowKind::terminal},
    Program{"mintty.exe", "", WindowKind::terminal},
    Program{"", "ConsoleWindowClass", WindowKind::terminal},
    Program{"", "WineConsoleClass", WindowKind::terminal},
    Program{"", "CASCADIA_HOSTING_WINDOW_CLASS", WindowKind::terminal},
    // Dialogs that start programs. The one of Windows is an ordinary dialog of the shell.
    Program{"explorer.exe", "#32770", WindowKind::run_dialog},
    Program{"rofi", "", WindowKind::run_dialog},
    Program{"dmenu", "", WindowKind::run_dialog},
    Program{"gmrun", "", WindowKind::run_dialog},
    Program{"xfrun4", "", WindowKind::run_dialog},
    Program{"xfce4-appfinder", "", WindowKind::run_dialog},
    Program{"krunner", "", WindowKind::run_dialog},
    // Keyboards on the screen, and tables of characters
    Program{"osk.exe", "", WindowKind::on_screen_keyboard},
    Program{"tabtip.exe", "", WindowKind::on_screen_keyboard},
    Program{"textinputhost.exe", "", WindowKind::on_screen_keyboard},
    Program{"onboard", "", WindowKind::on_screen_keyboard},
    Program{"florence", "", WindowKind::on_screen_keyboard},
    Program{"matchbox-keyboard", "", WindowKind::on_screen_keyboard},
    Program{"xvkbd", "", WindowKind::on_screen_keyboard},
    Program{"", "IPTip_Main_Window", WindowKind::on_screen_keyboard},
    // Other machines
    Program{"mstsc.exe", "", WindowKind::remote},
    Program{"msrdc.exe", "", WindowKind::remote},
    Program{"*vnc*viewer*", "", WindowKind::remote},
    Program{"remmina", "", WindowKind::remote},
    Program{"xfreerdp*", "", WindowKind::remote},
    Program{"rdesktop", "", WindowKind::remote},
    Program{"virt-manager", "", WindowKind::remote},
    Program{"virt-viewer", "", WindowKind::remote},
    Program{"virtualbox*", "", WindowKind::remote},
    Program{"qemu*", "", WindowKind::remote},
    Program{"vmware*", "", WindowKind::remote},
    Program{"anydesk*", "", WindowKind::remote},
    Program{"teamviewer*", "", WindowKind::remote},
};

constexpr std::array<std::string_view, 8> shells{"explorer.exe", "gnome-shell", "plasmashell",
                                                 "xfdesktop",    "xfce4-panel", "lxpanel",
                                                 "pcmanfm*",     "nautilus*"};

} // namespace

WindowKind window_kind(const winio::WindowInfo& window) {
    const auto fits = [&](const Program& it) {
        // A pattern for something unknown does not match.
        const bool process = it.process.empty() || (!window.process.empty() &&
                                                    matches_pattern(it.process, window.process));
        const bool window_class =
            it.window_class.empty() || matches_pattern(it.window_class, window.window_class);
        return process && window_class;
    };
    const auto* found =
        std::ranges::find_if(programs.data(), programs.data() + programs.size(), fits);
    return found == programs.data() + programs.size() ? WindowKind::other : found->kind;
}

bool is_desktop_shell(const winio::WindowInfo& window) {
    return std::ranges::any_of(
        shells, [&](std::string_view shell) { return matches_pattern(shell, window.process); });
}

} // namespace eyehand::agent
