// The content of the panel's server: the files of the page, the state and screenshots of the shown
// run, and its commands.
#pragma once

#include "eyehand/panel/panel.hpp"
#include "http_server.hpp"
#include "shown_run.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace eyehand::panel {

using web::Protection;
using web::Reply;
using web::Request;
using web::Site;
using web::Stream;
using web::Tokens;

class RunSite final : public Site {
public:
    RunSite(PanelAccess access, const PanelLimits& limits, Tokens tokens)
        : access_(access), limits_(limits), tokens_(std::move(tokens)) {}

    /// Shows this run from now on. Thread-safe.
    void show(std::shared_ptr<ShownRun> run);

    // Site
    [[nodiscard]] Reply answer(const Request& request) override;
    [[nodiscard]] Protection protection(std::string_view path) const override;
    [[nodiscard]] std::uint64_t max_body(std::string_view path) const override;
    [[nodiscard]] bool is_stream(std::string_view path) const override;
    [[nodiscard]] std::unique_ptr<Stream> open_stream() override;
    void look() override;

    /// The shown run; null before the first one.
    [[nodiscard]] std::shared_ptr<ShownRun> run() const;

private:
    [[nodiscard]] Reply get(const Request& request);
    [[nodiscard]] Reply post(const Request& request);
    [[nodiscard]] Reply config() const;
    [[nodiscard]] Reply state(const Request& request);
    [[nodiscard]] Reply screenshot(std::string_view path) const;
    [[nodiscard]] Reply prompt(std::string_view path) const;

    const PanelAccess access_;
    const PanelLimits limits_;
    const Tokens tokens_;
    mutable std::mutex mutex_;
    std::shared_ptr<ShownRun> run_;
};

} // namespace eyehand::panel
