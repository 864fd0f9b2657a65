#include "shown_run.hpp"

#include "base/path_text.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/base/folder_file.hpp"
#include "eyehand/winio/image_file.hpp"
#include "record/run_file.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace eyehand::panel {
ShownRun::ShownRun(std::string id, std::filesystem::path directory, agent::Profile profile,
                   agent::Source annotation, Changed changed)
    : id_(std::move(id)), directory_(std::move(directory)), profile_(std::move(profile)),
      annotation_(annotation), changed_(std::move(changed)), folded_(id_, profile_),
      state_(std::make_shared<const PageState>(folded_.snapshot())) {}

template <class Change>
void ShownRun::change(Counts counts, Change change) {
    {
        const std::lock_guard lock(mutex_);
        change();
        if (counts == Counts::yes) ++folded_.seq;
        state_ = std::make_shared<const PageState>(folded_.snapshot());
    }
    changed_();
}

/// Requires the lock.
void ShownRun::apply(const agent::Event& event) {
    folded_.apply(event);
    const auto screenshot = folded_.view().screenshot();
    if (screenshot && screenshot->index > files_.size()) {
        files_.push_back({screenshot->look.file, screenshot->look.raw_file});
        raw_.reset();
    }
}

/// Requires the lock.
void ShownRun::apply_status(const agent::RunControl& control) {
    folded_.apply(control.status());
    if (const auto& wanted = folded_.wanted()) raw_ = wanted->file;
}

void ShownRun::read_journal(Writer writer) {
    change(Counts::yes, [&] {
        follows_ = writer == Writer::other_process;
        read_lines();
    });
}

void ShownRun::follow() {
    {
        const std::lock_guard lock(mutex_);
        if (!follows_) return;
        const auto size =
            base::size_in_folder(directory_, agent::journal_name, agent::max_journal_bytes);
        if (!size || *size <= read_bytes_) return;
    }
    change(Counts::yes, [&] {
        folded_.set_followed();
        read_lines();
    });
}

/// Requires the lock. Reads only lines with a line break.
void ShownRun::read_lines() {
    const auto in = base::open_in_folder(directory_, agent::journal_name, agent::max_journal_bytes);
    if (!in) return;
    in->seekg(static_cast<std::streamoff>(read_bytes_));
    std::string line;
    std::uintmax_t bytes = 0;
    for (agent::JournalLine read = agent::next_line(*in, line, bytes);
         read == agent::JournalLine::whole || read == agent::JournalLine::too_long;
         read = agent::next_line(*in, line, bytes)) {
        read_bytes_ += bytes;
        apply(agent::parse_event(line));
    }
}

void ShownRun::attach(agent::RunControl& control) {
    {
        const std::lock_guard lock(controlling_);
        control_ = &control;
    }
    listening_ = control.on_change([this, &control] {
        try {
            change(Counts::yes, [&] { apply_status(control); });
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch)
            // The next change updates the page. The run, whose thread this may be, must continue.
        }
    });
    change(Counts::yes, [&] {
        folded_.set_controlled();
        apply_status(control);
    });
}

void ShownRun::detach() noexcept {
    listening_.reset();
    {
        const std::lock_guard lock(controlling_); // waits for current uses
        control_ = nullptr;
    }
    try {
        change(Counts::yes, [&] { folded_.close(); });
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch)
        // Posts are refused nevertheless.
    }
}

void ShownRun::on_event(const agent::Event& event) {
    change(Counts::yes, [&] { apply(event); });
}

void ShownRun::on_delta(const vlm::Delta& delta) {
    change(Counts::no, [&] { folded_.apply(delta); });
}

void ShownRun::on_progress(const agent::ToolProgress& progress) {
    change(Counts::yes, [&] { folded_.apply(progress); });
}

void ShownRun::on_state(const agent::ModeState& state) {
    change(Counts::yes, [&] { folded_.apply(state); });
}

std::shared_ptr<const PageState> ShownRun::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

std::shared_ptr<const std::vector<std::uint8_t>> ShownRun::screenshot(std::size_t number,
                                                                      Kind kind) const {
    std::string file;
    {
        const std::lock_guard lock(mutex_);
        if (raw_ && number == files_.size() + 1) return kind == Kind::raw ? raw_ : nullptr;
        if (number == 0 || number > files_.size()) return nullptr;
        const Files& files = files_[number - 1];
        file = kind == Kind::raw && !files.raw.empty() ? files.raw : files.shown;
    }
    return read_screenshot(file);
}

std::optional<std::string> ShownRun::prompt(std::string_view hash) const {
    return agent::read_prompt(directory_, hash);
}

std::shared_ptr<const std::vector<std::uint8_t>>
ShownRun::read_screenshot(const std::string& file) const {
    const auto file_bytes =
        base::read_in_folder(directory_, agent::path_of(file), agent::max_screenshot_file_bytes);
    if (!file_bytes) return nullptr;
    std::vector<std::uint8_t> bytes(file_bytes->begin(), file_bytes->end());
    if (!winio::image_format_of(bytes)) return nullptr;
    return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

} // namespace eyehand::panel
