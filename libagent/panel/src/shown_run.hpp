// The run that a panel shows. Connects the threads of the run and its control with the server's
// thread.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "page_state.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::panel {

/// Thread-safe. Readers get immutable snapshots.
class ShownRun {
public:
    using Changed = std::function<void()>; ///< called on any thread, without holding a lock

    ShownRun(std::string id, std::filesystem::path directory, agent::Profile profile,
             agent::Source annotation, Changed changed);

    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
    [[nodiscard]] const agent::Profile& profile() const { return profile_; }
    [[nodiscard]] agent::Source annotation() const { return annotation_; }

    // ---- for the run ----------------------------------------------------------------------------

    /// Applies the readable entries of the run's journal. With Writer::other_process, `follow` also
    /// applies the entries that another process appends.
    enum class Writer { this_process, other_process };
    void read_journal(Writer writer);
    void follow();
    /// Makes the run controllable. The control must exist until `detach`.
    void attach(agent::RunControl& control);
    /// Releases the control. Call on the thread of `attach`.
    void detach() noexcept;
    void on_event(const agent::Event& event);
    void on_delta(const vlm::Delta& delta);
    void on_progress(const agent::ToolProgress& progress);
    void on_state(const agent::ModeState& state);

    // ---- for the server -------------------------------------------------------------------------

    [[nodiscard]] std::shared_ptr<const PageState> state() const;
    /// Calls `call` with the run's control; returns nothing if the run has no control.
    template <class Call>
    auto with_control(Call call)
        -> std::optional<decltype(call(std::declval<agent::RunControl&>()))> {
        const std::lock_guard lock(controlling_);
        if (control_ == nullptr) return std::nullopt;
        return call(*control_);
    }
    enum class Kind { shown, raw };
    /// The image file of the screenshot with this number, also of the next one from the request for
    /// its annotation on; nullptr if it does not exist.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>> screenshot(std::size_t number,
                                                                              Kind kind) const;
    /// The text of a request with this hash; nothing if it does not exist.
    [[nodiscard]] std::optional<std::string> prompt(std::string_view hash) const;

private:
    enum class Counts { yes, no };
    template <class Change>
    void change(Counts counts, Change change);
    void apply(const agent::Event& event);
    void apply_status(const agent::RunControl& control);
    void read_lines();
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    read_screenshot(const std::string& file) const;

    const std::string id_;
    const std::filesystem::path directory_;
    const agent::Profile profile_;
    const agent::Source annotation_;
    const Changed changed_;

    struct Files {
        std::string shown;
        std::string raw;
    };
    mutable std::mutex mutex_; ///< protects the following members
    bool follows_ = false;
    std::uintmax_t read_bytes_ = 0; ///< of the journal, up to the end of a complete line
    PageState folded_;
    std::vector<Files> files_; ///< of all screenshots, in order
    /// The next screenshot, from the request for its annotation until the journal contains it, if the
    /// run does not end before.
    std::shared_ptr<const std::vector<std::uint8_t>> raw_;
    std::shared_ptr<const PageState> state_;

    std::mutex controlling_; ///< held while the control is used
    agent::RunControl* control_ = nullptr;
    std::shared_ptr<void> listening_; ///< subscription to the control
};

} // namespace eyehand::panel
