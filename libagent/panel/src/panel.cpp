#include "eyehand/panel/panel.hpp"

#include "access.hpp"
#include "http_server.hpp"
#include "shown_run.hpp"
#include "site.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <mutex>
#include <utility>

namespace eyehand::panel {
namespace {

constexpr std::array settings{
    agent::SettingSpec{"panel", agent::SettingKind::boolean, "show the run on a local web page",
                       "false"},
    agent::SettingSpec{"host", agent::SettingKind::text, "panel: the address to listen on",
                       "127.0.0.1", 1},
    agent::SettingSpec{"port", agent::SettingKind::integer,
                       "panel: the port to listen on; 0: any free port", "0", 0, 65535},
    agent::SettingSpec{"panel_cors",
                       agent::SettingKind::text,
                       "panel: another origin whose pages may use it",
                       {},
                       1},
    agent::SettingSpec{"panel_compat", agent::SettingKind::boolean,
                       "panel: require neither a token nor the content type of posts; only on a "
                       "loopback address",
                       "false"},
};

/// Throws agent::Error{panel_failed} if other computers could control the desktop without a token.
web::Tokens tokens_for(const PanelOptions& options) {
    if (options.access == PanelAccess::with_token) return web::Tokens::random();
    if (web::is_loopback(options.host)) return {};
    throw agent::Error(
        agent::errc::panel_failed,
        fmt::format("the panel does not listen on {} without a token, because every client that "
                    "reaches this address could control the desktop; require the token (without "
                    "panel_compat), or choose a loopback address such as 127.0.0.1 (host)",
                    options.host));
}

std::vector<std::string> allowed_origins(const PanelOptions& options) {
    if (!options.cors_origin) return {};
    return {*options.cors_origin};
}

web::Limits limits_of(const PanelLimits& panel_limits) {
    return {.connections = panel_limits.connections,
            .unauthenticated_connections = panel_limits.unauthenticated_connections,
            .header_bytes = panel_limits.header_bytes,
            .request_time = panel_limits.request_time,
            .write_time = panel_limits.write_time,
            .heartbeat = panel_limits.heartbeat};
}

/// Wakes the server while it exists: a run may outlive its panel.
class ServerWaker {
public:
    void connect(std::function<void()> wake) {
        const std::lock_guard lock(mutex_);
        wake_ = std::move(wake);
    }
    void wake() {
        const std::lock_guard lock(mutex_);
        if (wake_) wake_();
    }

private:
    std::mutex mutex_;
    std::function<void()> wake_;
};

/// Passes the events of a run to the page. The destructor releases the run's control.
class PageObserver final : public agent::Observer {
public:
    explicit PageObserver(std::shared_ptr<panel::ShownRun> run) : run_(std::move(run)) {}
    ~PageObserver() override { run_->detach(); }
    PageObserver(const PageObserver&) = delete;
    PageObserver& operator=(const PageObserver&) = delete;

    void on_event(const agent::Event& event) override { run_->on_event(event); }
    void on_delta(const vlm::Delta& delta) override { run_->on_delta(delta); }
    void on_progress(const agent::ToolProgress& progress) override { run_->on_progress(progress); }
    void on_state(const agent::ModeState& state) override { run_->on_state(state); }

private:
    const std::shared_ptr<panel::ShownRun> run_;
};

} // namespace

std::span<const agent::SettingSpec> setting_specs() { return settings; }

class Panel::Impl {
public:
    Impl(const PanelOptions& options, const web::Tokens& tokens)
        : site_(options.access, options.limits, tokens),
          server_(options.host, options.port, limits_of(options.limits), site_,
                  [&](std::uint16_t port) {
                      return web::Access({.host = options.host,
                                          .port = port,
                                          .tokens = tokens,
                                          .allowed_origins = allowed_origins(options)});
                  }) {
        waker_->connect([this] { server_.wake(); });
    }
    ~Impl() { waker_->connect({}); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const web::HttpServer& server() const { return server_; }

    std::shared_ptr<panel::ShownRun> make(const std::filesystem::path& directory,
                                          const agent::Profile& profile, agent::Source annotation,
                                          panel::ShownRun::Writer writer) {
        auto run =
            std::make_shared<panel::ShownRun>(web::random_token(), directory, profile, annotation,
                                              [waker = waker_] { waker->wake(); });
        run->read_journal(writer);
        return run;
    }
    void show(std::shared_ptr<panel::ShownRun> run) {
        site_.show(std::move(run));
        server_.wake();
    }

private:
    const std::shared_ptr<ServerWaker> waker_ = std::make_shared<ServerWaker>();
    panel::RunSite site_;
    web::HttpServer server_;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): both parts keep a copy
Panel::Panel(PanelOptions options) try
    : impl_(std::make_unique<Impl>(options, tokens_for(options))) {
} catch (const web::ListenError& error) {
    throw agent::Error(
        agent::errc::panel_failed,
        fmt::format("the panel cannot listen on {}, port {}: {}; choose another port, "
                    "or 0 for any free one",
                    options.host, options.port, error.what()));
}
Panel::~Panel() = default;
std::string Panel::url() const { return impl_->server().access().url(); }
std::uint16_t Panel::port() const { return impl_->server().port(); }

std::unique_ptr<agent::Observer> Panel::show(const agent::RunDirectory& directory,
                                             agent::RunControl& control,
                                             const agent::Profile& profile,
                                             agent::Source annotation) {
    auto run =
        impl_->make(directory.path(), profile, annotation, panel::ShownRun::Writer::this_process);
    auto observer = std::make_unique<PageObserver>(run);
    run->attach(control);
    impl_->show(std::move(run));
    return observer;
}

void Panel::show(const std::filesystem::path& run) {
    impl_->show(impl_->make(run, agent::load_run(run).summary.profile, agent::Source::library,
                            panel::ShownRun::Writer::other_process));
}

} // namespace eyehand::panel
