// One run as it is shown: between the run's thread and whoever has its control on one side, the
// server's thread on the other.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "page_state.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::panel {

/// Thread-safe. What is read is a snapshot that never changes.
class ShownRun {
public:
    using Changed = std::function<void()>; ///< called on any thread, without a lock

    ShownRun(std::string id, std::filesystem::path directory, agent::Profile profile,
             agent::Source annotation, Changed changed);

    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
    [[nodiscard]] const agent::Profile& profile() const { return profile_; }
    [[nodiscard]] agent::Source annotation() const { return annotation_; }

    // ---- from the run's side --------------------------------------------------------------------

    /// What the run's journal has up to now, as far as it can be read. With Goes::on_elsewhere what
    /// another program adds to it counts, too, each time `follow` looks.
    enum class Goes { on_here, on_elsewhere };
    void read_journal(Goes goes);
    void follow();
    /// From now on it can be controlled. The control must stay until `detach`.
    void attach(agent::RunControl& control);
    /// Nothing refers to the control any more when this returns. From the thread of `attach`.
    void detach() noexcept;
    void on_event(const agent::Event& event);
    void on_delta(const vlm::Delta& delta);
    void on_state(const agent::ModeState& state);

    // ---- from the server's side -----------------------------------------------------------------

    [[nodiscard]] std::shared_ptr<const PageState> state() const;
    /// Calls with the run's control; nothing where it has none any more.
    template <class Call>
    auto with_control(Call call)
        -> std::optional<decltype(call(std::declval<agent::RunControl&>()))> {
        const std::lock_guard lock(controlling_);
        if (control_ == nullptr) return std::nullopt;
        return call(*control_);
    }
    enum class Kind { shown, raw };
    /// The file of the picture of that number, or the one that waits for its annotation; nothing
    /// where there is none.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>> picture(std::size_t number,
                                                                           Kind kind) const;

private:
    enum class Counts { yes, no };
    template <class Change>
    void change(Counts counts, Change change);
    void apply(const agent::Event& event);
    void read_lines();
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    read_picture(const std::string& file) const;

    const std::string id_;
    const std::filesystem::path directory_;
    const agent::Profile profile_;
    const agent::Source annotation_;
    const Changed changed_;

    struct Files {
        std::string shown;
        std::string raw;
    };
    mutable std::mutex mutex_; ///< of what follows
    bool follows_ = false;
    std::uintmax_t read_bytes_ = 0; ///< of the journal, up to the end of a line
    PageState folded_;
    std::vector<Files> files_; ///< of all pictures, the first one's at the front
    std::shared_ptr<const PageState> state_;

    std::mutex controlling_; ///< held while the control is used
    agent::RunControl* control_ = nullptr;
    std::shared_ptr<void> listening_; ///< to the control
};

} // namespace eyehand::panel
