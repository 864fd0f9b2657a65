// Writes the files of a run to its store.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/vlm/message.hpp"
#include "record/execution_log.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// The screenshot that the model receives, or the one without annotation.
enum class ScreenshotKind { shown, raw };

/// Failed writes throw Error{journal_failed} with file and reason. The store must outlive it.
class RunWriter {
public:
    explicit RunWriter(RunStore& store, ScreenshotNames names = {}, const LogProfile& log = {})
        : store_(store), names_(std::move(names)), log_(log) {}

    /// Stores a screenshot and returns its name, with forward slashes. Its extension is that of the
    /// file's format.
    std::string save_screenshot(int number, std::span<const std::uint8_t> file,
                                ScreenshotKind kind = ScreenshotKind::shown);
    /// Stores an image of a result and returns its name, with forward slashes. Equal images are one file.
    std::string save_image(const vlm::Image& image);
    /// Adds the entry to execution_log.txt, and a line to main.log if it is enabled.
    void log_event(const Event& event, const LogEntry& entry);
    void log_note(std::string_view text);
    void append(const std::string& name, std::string_view text);
    [[nodiscard]] std::vector<std::uint8_t> read(const std::string& name) const;
    [[nodiscard]] RunStore& store() const { return store_; }

private:
    [[nodiscard]] std::string screenshot_name(int number, int again, ScreenshotKind kind,
                                              std::string_view extension) const;
    RunStore& store_;
    ScreenshotNames names_;
    LogProfile log_;
};

} // namespace eyehand::agent
