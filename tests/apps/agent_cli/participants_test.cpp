// What the user's signals do to a run.
#include "participants.hpp"

#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace eyehand;

namespace {

/// A desktop whose user does what the test says.
class WatchedDesktop final : public winio::Desktop {
public:
    std::vector<winio::Display> displays() override { return {}; }
    std::unique_ptr<winio::Capturer> open_capturer(const winio::CaptureOptions&) override {
        throw std::logic_error("not used");
    }
    winio::SendReport send(std::span<const winio::InputEvent>) override { return {}; }
    std::optional<winio::Point> pointer() override { return std::nullopt; }
    std::unique_ptr<winio::UserWatch>
    watch_user(const winio::UserWatchOptions&,
               std::function<void(winio::UserSignal)> call) override {
        report = std::move(call);
        return std::make_unique<winio::UserWatch>();
    }

    std::function<void(winio::UserSignal)> report;
};

struct NoView final : agent::Observer {
    void on_event(const agent::Event&) override {}
};

/// Why the run stops after this signal; empty: it does not.
std::string stop_reason_after(winio::UserSignal signal, const cli::Participants::Options& options) {
    const test::TempFolder folder;
    WatchedDesktop desktop;
    NoView view;
    cli::Participants participants(options);
    std::string reason;
    (void)participants.follow(agent::RunDirectory::create(folder.path()),
                              agent::load_profile("observer"), agent::Source::library, view,
                              desktop, [&](std::span<agent::Observer* const>) {
                                  desktop.report(signal);
                                  reason = participants.control().stop_reason();
                                  return session::RunResult{};
                              });
    return reason;
}

} // namespace

#ifdef _WIN32
TEST_CASE("an unattended run ends if mouse and keyboard no longer stop it") {
    CHECK_THAT(stop_reason_after(winio::UserSignal::watch_ended, {.unattended = true}),
               ContainsSubstring("the watch of the mouse and the keyboard has ended") &&
                   ContainsSubstring("agent-cli resume"));
}
#else
TEST_CASE("the end of the watch does not hide that the X server has ended") {
    CHECK(stop_reason_after(winio::UserSignal::watch_ended, {.unattended = true}).empty());
}
#endif
