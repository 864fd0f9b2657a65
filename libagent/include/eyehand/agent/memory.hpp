// The memory of a team: its recent actions, and summaries of the archived ones.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::agent {

/// A tool call, or a turn without one.
struct ActionRecord {
    int turn = 0;
    std::string tool{}; ///< as the model called it; empty: the turn had no call
    std::string arguments{};
    std::string result{};
    std::string screenshot{}; ///< the file of the screenshot that the model had seen
    std::string reply{};      ///< the words of the model's reply
    bool archived = false;
    /// The call in words, without arguments that the tool ignores: `click "Save" at (512,300)`.
    /// Empty: `tool` and `arguments` describe it.
    std::string call{};
    std::string outcome{}; ///< the result in words: `refused (invalid_key): ...`; empty: `result`
    /// The role must receive the outcome completely: the tool has read it, or it is the reason why
    /// the user denied the action.
    bool complete = false;
};

/// A summary of archived turns.
struct Snapshot {
    std::string summary{};
    std::string patterns{};
    std::size_t actions = 0;
};

/// A memory strategy; derive from it for one of your own (AgentOptions::make_memory). It must not
/// use clocks, I/O or randomness: the same calls must return the same texts.
class EYEHAND_AGENT_API Memory {
public:
    virtual ~Memory() = default;
    virtual void add(ActionRecord record) = 0;
    /// Replaces the record of the same turn: the effect of an action is known only later. By
    /// default, the earlier record stays.
    virtual void update(const ActionRecord& /*record*/) {}
    /// Archives turns. Returns a problem for the model, or an empty text.
    virtual std::string archive(const std::string& summary, const std::string& patterns,
                                const std::vector<int>& turns) = 0;
    /// Archives about half of the active actions, the oldest ones, without the model.
    virtual void compress() = 0;
    [[nodiscard]] virtual bool needs_compression() const = 0;
    /// The text about the memory in a role's context: at most `max` bytes of complete UTF-8
    /// characters, with the newest actions preferred. Empty if there is nothing to remember.
    [[nodiscard]] virtual std::string context(std::size_t max) const = 0;
    [[nodiscard]] virtual std::size_t active() const = 0;
    [[nodiscard]] virtual std::size_t archived() const = 0;
};

using MakeMemory = std::function<std::unique_ptr<Memory>()>;

struct TeamMemoryOptions {
    std::size_t threshold = 8;       ///< number of active actions from which compression is needed
    std::size_t recent = 8;          ///< maximum number of active actions in the context
    std::size_t result_bytes = 200;  ///< maximum length of each result that may be shortened
    std::size_t reply_bytes = 140;   ///< maximum length of each reply
    std::size_t summary_bytes = 180; ///< maximum length of each snapshot's summary
    std::size_t patterns_bytes = 120;
};

/// The context has the snapshots first, then the newest active actions. The latest outcome of each
/// tool that must be complete is cut only if the context has no space for it, also if the action
/// is not one of the newest. Archived actions are marked, not deleted, and their texts are cut to
/// the lengths used in a context. If the snapshots need more than half of the context, the oldest
/// ones are merged into one line.
class EYEHAND_AGENT_API TeamMemory final : public Memory {
public:
    explicit TeamMemory(TeamMemoryOptions options = {});

    void add(ActionRecord record) override;
    void update(const ActionRecord& record) override;
    std::string archive(const std::string& summary, const std::string& patterns,
                        const std::vector<int>& turns) override;
    void compress() override;
    [[nodiscard]] bool needs_compression() const override;
    [[nodiscard]] std::string context(std::size_t max) const override;
    [[nodiscard]] std::size_t active() const override;
    [[nodiscard]] std::size_t archived() const override;

    [[nodiscard]] const std::vector<ActionRecord>& records() const { return records_; }
    [[nodiscard]] const std::vector<Snapshot>& snapshots() const { return snapshots_; }

private:
    TeamMemoryOptions options_;
    void mark_archived(ActionRecord& record);
    [[nodiscard]] std::vector<std::string> latest_actions(std::size_t max) const;
    std::vector<ActionRecord> records_;
    std::size_t archived_ = 0; ///< of the records
    std::vector<Snapshot> snapshots_;
};

} // namespace eyehand::agent
