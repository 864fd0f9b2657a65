// What a watchdog does on every system. Each back-end's tests define how the state of keys and buttons is
// read.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include "catch.hpp"
#include "controlled_process.hpp"
#include "eventually.hpp"
#include "program.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace watchdog_contract {

struct Keys {
    std::function<bool()> shift_is_down;
    std::function<bool()> left_is_down;
};

inline bool eventually_released(const Keys& keys) {
    return test::eventually([&] { return !keys.shift_is_down() && !keys.left_is_down(); });
}

/// eyehand-holder (holder.cpp), which holds Shift and the left button.
class Holder {
public:
    explicit Holder(const Keys& keys, const std::vector<std::string>& arguments = {})
        : process(test::program_folder() / "eyehand-holder", arguments) {
        REQUIRE(test::eventually([&] { return keys.shift_is_down() && keys.left_is_down(); }));
    }
    test::ControlledProcess process;
};

inline void check_kill(const Keys& keys) {
    Holder holder(keys);
    holder.process.kill();
    CHECK(eventually_released(keys));
}

/// The program continues after the release, and knows of it.
inline void check_suspension(const Keys& keys) {
    Holder holder(keys);
    holder.process.suspend();
    CHECK(eventually_released(keys));
    holder.process.resume();
    CHECK(holder.process.wait() == 0);
    CHECK_FALSE(keys.shift_is_down());
    CHECK_FALSE(keys.left_is_down());
}

inline void check_hang(const Keys& keys) {
    const Holder holder(keys, {"hang"});
    CHECK(eventually_released(keys));
}

/// eyehand-holder while it pastes. The user had copied "of the user" before.
class Paste {
public:
    explicit Paste(eyehand::winio::Desktop& desktop)
        : clipboard((desktop.clipboard()->set_text("of the user"), *desktop.clipboard())),
          process(test::program_folder() / "eyehand-holder", {"paste"}) {
        REQUIRE(eventually_contains("of the plan"));
    }
    // On X11, a watchdog serves the restored content until another program replaces it.
    ~Paste() { clipboard.set_text("of the test"); }
    Paste(const Paste&) = delete;
    Paste& operator=(const Paste&) = delete;

    /// The owner may end or be suspended while it is asked.
    [[nodiscard]] bool eventually_contains(const std::string& text) const {
        return test::eventually([&] {
            try {
                return clipboard.text() == text;
            } catch (const eyehand::winio::Error&) {
                return false;
            }
        });
    }

    eyehand::winio::Clipboard& clipboard;
    test::ControlledProcess process;
};

inline void check_killed_paste(eyehand::winio::Desktop& desktop) {
    Paste paste(desktop);
    paste.process.kill();
    CHECK(paste.eventually_contains("of the user"));
}

inline void check_suspended_paste(eyehand::winio::Desktop& desktop) {
    Paste paste(desktop);
    paste.process.suspend();
    CHECK(paste.eventually_contains("of the user"));
    paste.process.resume();
    CHECK(paste.process.wait() == 0);
}

/// What the user copies during a paste remains.
inline void check_copy_during_paste(eyehand::winio::Desktop& desktop) {
    Paste paste(desktop);
    paste.clipboard.set_text("copied later");
    paste.process.end();
    CHECK(paste.clipboard.text() == "copied later");
}

/// A desktop whose watchdog ends with it.
inline std::unique_ptr<eyehand::winio::Desktop> watched_desktop() {
    return eyehand::winio::open_desktop(
        {.watchdog = {test::program_file("eyehand-holder").string(), "watchdog"}});
}

/// What the user copies before the program has replaced the text remains.
inline void check_copy_before_paste(eyehand::winio::Desktop& user) {
    {
        const auto desktop = watched_desktop();
        desktop->clipboard()->set_text_to_restore("of the user");
        user.clipboard()->set_text("copied later");
    } // until the watchdog has ended
    CHECK(user.clipboard()->text() == "copied later");
}

/// What the user copies before the program does anything more remains.
inline void check_copy_directly_after_paste(eyehand::winio::Desktop& user) {
    {
        const auto desktop = watched_desktop();
        desktop->clipboard()->set_text_to_restore("of the user");
        desktop->clipboard()->set_text("of the plan");
        user.clipboard()->set_text("copied later");
    } // until the watchdog has ended
    CHECK(user.clipboard()->text() == "copied later");
}

/// A drag of agent-cli that lasts for seconds.
class Drag {
public:
    explicit Drag(const Keys& keys) : process(test::program_folder() / "agent-cli", arguments()) {
        REQUIRE(test::eventually(keys.left_is_down));
    }
    test::ControlledProcess process;

private:
    static std::vector<std::string> arguments() {
        std::vector<std::string> words{"do", "drag"};
        for (int corner = 0; corner < 300; ++corner) {
            words.emplace_back(corner % 2 == 0 ? "400" : "600");
            words.emplace_back("500");
        }
        return words;
    }
};

inline void check_killed_drag(const Keys& keys) {
    Drag drag(keys);
    drag.process.kill();
    CHECK(eventually_released(keys));
}

inline void check_suspended_drag(const Keys& keys) {
    Drag drag(keys);
    drag.process.suspend();
    CHECK(eventually_released(keys));
    drag.process.resume();
    CHECK(drag.process.wait() != 0);
    CHECK_FALSE(keys.left_is_down());
}

} // namespace watchdog_contract
