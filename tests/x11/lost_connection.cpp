#include "changed_variable.hpp"
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "test_window.hpp"
#include "x11/x11_desktop.hpp"

#include <signal.h>

#include <cstdlib>

using namespace eyehand::winio;
using x11_tests::ChangedVariable;

namespace {

errc code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return static_cast<errc>(error.code().value());
    }
    return errc{};
}

/// As if the server had ended: no request of the desktop is answered.
void cut(const x11::X11Desktop& desktop) {
    const x11::Connection other;
    xcb_kill_client(other.get(), desktop.connection().window());
    other.synchronize();
}

} // namespace

TEST_CASE("a desktop whose server has ended reports errors and does not crash") {
    x11::X11Desktop desktop;
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    capturer->capture({0, 0, 10, 10}, frame);
    desktop.clipboard()->set_text("before");
    cut(desktop);
    CHECK(code_of([&] { capturer->capture({0, 0, 10, 10}, frame); }) == errc::capture_failed);
    CHECK(code_of([&] { (void)desktop.displays(); }) == errc::no_display);
    CHECK(code_of([&] { (void)desktop.clipboard()->text(); }) == errc::clipboard_failed);
    CHECK(code_of([&] {
              desktop.windows()->apply({WindowId{1}, WindowAction::focus, {}});
          }) == errc::input_refused);
    CHECK_FALSE(desktop.pointer().has_value());
    CHECK(desktop.windows()->list().empty());
    const InputEvent move = PointerMove{{1, 1}};
    const SendReport report = desktop.send({&move, 1});
    CHECK(report.accepted == 0);
    CHECK(report.error == errc::input_refused);
    CHECK_FALSE(report.problem.empty());
}

TEST_CASE("spare keys that cannot be cleared do not block closing the desktop") {
    x11::X11Desktop desktop;
    const InputEvent typed = TypedScalar{U'ж'}; // its key stays bound on this server
    REQUIRE(desktop.send({&typed, 1}).complete());
    cut(desktop);
}

TEST_CASE("the error without a display names the variable to check") {
    for (const char* display : {":4711", "", "nonsense"}) {
        const ChangedVariable variable("DISPLAY", display);
        try {
            (void)open_desktop();
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::no_display);
            CHECK_THAT(error.what(), ContainsSubstring("DISPLAY"));
        }
    }
}

namespace {

/// The server of tests/x11/run; it continues at the end of the test.
class StoppedServer {
public:
    StoppedServer() {
        const char* id = std::getenv("EYEHAND_TEST_X_SERVER");
        REQUIRE(id != nullptr);
        process_ = static_cast<pid_t>(std::strtol(id, nullptr, 10));
        REQUIRE(kill(process_, SIGSTOP) == 0);
    }
    ~StoppedServer() { kill(process_, SIGCONT); }
    StoppedServer(const StoppedServer&) = delete;
    StoppedServer& operator=(const StoppedServer&) = delete;

private:
    pid_t process_ = 0;
};

} // namespace

TEST_CASE("a desktop whose server has stopped reports an error instead of waiting forever") {
    x11::X11Desktop desktop;
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    capturer->capture({0, 0, 10, 10}, frame);
    const StoppedServer stopped;
    CHECK(code_of([&] { capturer->capture({0, 0, 10, 10}, frame); }) == errc::capture_failed);
    CHECK(code_of([&] { (void)desktop.displays(); }) == errc::no_display);
    const InputEvent move = PointerMove{{1, 1}};
    CHECK(desktop.send({&move, 1}).error == errc::input_refused);
}
