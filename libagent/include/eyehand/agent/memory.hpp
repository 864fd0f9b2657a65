// What a team remembers: its actions, and what was worth keeping of those it put away.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::agent {

/// One call that was made, or one turn that came to none.
struct ActionRecord {
    int turn = 0;
    std::string tool{}; ///< as the model called it; empty: the turn came to no call
    std::string arguments{};
    std::string result{};
    std::string screenshot{}; ///< the file that the model had seen
    std::string reply{};      ///< what it said
    bool archived = false;
};

/// What is left of turns that were put away.
struct Snapshot {
    std::string summary{};
    std::string patterns{};
    std::size_t actions = 0;
};

/// A strategy for remembering; derive from it for one of your own (AgentOptions::make_memory). It has
/// no clock, no I/O and no randomness: the same calls give the same texts.
class EYEHAND_AGENT_API Memory {
public:
    virtual ~Memory() = default;
    virtual void add(ActionRecord record) = 0;
    /// Puts turns away. The problem, for the model, or empty.
    virtual std::string archive(const std::string& summary, const std::string& patterns,
                                const std::vector<int>& turns) = 0;
    /// Puts about half of what is active away by itself.
    virtual void compress() = 0;
    [[nodiscard]] virtual bool needs_compression() const = 0;
    /// What a role is told, in at most `max` bytes of whole UTF-8 characters; what is newest counts
    /// most. Empty: there is nothing to remember.
    [[nodiscard]] virtual std::string context(std::size_t max) const = 0;
    [[nodiscard]] virtual std::size_t active() const = 0;
    [[nodiscard]] virtual std::size_t archived() const = 0;
};

using MakeMemory = std::function<std::unique_ptr<Memory>()>;

struct TeamMemoryOptions {
    std::size_t threshold = 8;       ///< active actions from which compression is needed
    std::size_t recent = 8;          ///< active actions that are told
    std::size_t result_bytes = 60;   ///< of each
    std::size_t reply_bytes = 140;   ///< of each
    std::size_t summary_bytes = 180; ///< of each snapshot
    std::size_t patterns_bytes = 120;
};

/// Snapshots, then the newest active actions. Actions are never deleted, only marked, and then keep of
/// their texts what would have been told; when snapshots outgrow half of their context, the oldest are
/// merged.
class EYEHAND_AGENT_API TeamMemory final : public Memory {
public:
    explicit TeamMemory(TeamMemoryOptions options = {});

    void add(ActionRecord record) override;
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
    void put_away(ActionRecord& record);
    std::vector<ActionRecord> records_;
    std::size_t archived_ = 0; ///< of the records
    std::vector<Snapshot> snapshots_;
};

} // namespace eyehand::agent
