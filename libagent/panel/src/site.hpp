// What the panel serves: the page's files, the state of the run that is shown, its pictures, and what can
// be done to it.
#pragma once

#include "eyehand/panel/panel.hpp"
#include "http_server.hpp"
#include "shown_run.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace eyehand::panel {

class RunSite final : public Site {
public:
    RunSite(PanelAccess access, const PanelLimits& limits) : access_(access), limits_(limits) {}

    /// From any thread: from now on this run is shown.
    void show(std::shared_ptr<ShownRun> run);

    // Site
    [[nodiscard]] Reply answer(const Request& request) override;
    [[nodiscard]] std::uint64_t max_body(std::string_view path) const override;
    [[nodiscard]] bool is_stream(std::string_view path) const override;
    [[nodiscard]] std::unique_ptr<Stream> open_stream() override;
    void look() override;

    /// The one that is shown; null before the first.
    [[nodiscard]] std::shared_ptr<ShownRun> run() const;

private:
    [[nodiscard]] Reply get(const Request& request);
    [[nodiscard]] Reply post(const Request& request);
    [[nodiscard]] Reply config() const;
    [[nodiscard]] Reply state(const Request& request);
    [[nodiscard]] Reply picture(std::string_view path) const;

    const PanelAccess access_;
    const PanelLimits limits_;
    mutable std::mutex mutex_;
    std::shared_ptr<ShownRun> run_;
};

} // namespace eyehand::panel
