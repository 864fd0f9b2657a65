#include "eyehand/session/verify.hpp"

#include "base/text.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/base/invisible.hpp"
#include "eyehand/vlm/digest.hpp"
#include "record/run_file.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace eyehand::session {
namespace {

namespace json = boost::json;

constexpr const char* prompts_folder = "prompts/";
constexpr int seal_format = 1;

/// Files that are written again from others, or that control a run in progress.
bool is_no_evidence(std::string_view name) {
    return name == "report.html" || name == "stop_request" || name == "stop_request.taken";
}

/// Whether the journal holds the hash of such a file.
bool is_named_by_journal(std::string_view name) {
    return agent::is_screenshot_name(name) || name.starts_with(prompts_folder);
}

std::optional<std::string> bytes_of(const agent::RunStore& run, const std::string& name) {
    const auto in = run.open_read(name);
    if (!in) return std::nullopt;
    std::ostringstream bytes;
    bytes << in->rdbuf();
    return std::move(bytes).str();
}

struct SealedFile {
    std::uint64_t bytes = 0;
    std::string sha256{};
};

/// Logs grow as long as the run, so they are read in pieces. `bytes` counts all of the file, `sha256`
/// is of the first `max` bytes.
std::optional<SealedFile> measured(const agent::RunStore& run, const std::string& name,
                                   std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
    const auto in = run.open_read(name);
    if (!in) return std::nullopt;
    SealedFile file;
    vlm::Sha256 hash;
    std::vector<char> piece(std::size_t{64} << 10U);
    do {
        in->read(piece.data(), static_cast<std::streamsize>(piece.size()));
        const auto count = static_cast<std::uint64_t>(in->gcount());
        const std::uint64_t hashed = std::min(count, max - std::min(max, file.bytes));
        hash.add({piece.data(), static_cast<std::size_t>(hashed)});
        file.bytes += count;
    } while (*in);
    file.sha256 = hash.hex();
    return file;
}

struct Seal {
    std::uint64_t lines = 0;
    std::string last_line_sha256{};
    std::map<std::string, SealedFile> files{};
    std::string hmac{}; ///< empty: written without a key
};

/// What a seal's HMAC is computed from: the seal without it.
json::object json_of(const Seal& seal) {
    json::object files;
    for (const auto& [name, file] : seal.files)
        files[name] = json::object{{"bytes", file.bytes}, {"sha256", file.sha256}};
    return {{"format", seal_format},
            {"lines", seal.lines},
            {"last_line_sha256", seal.last_line_sha256},
            {"files", std::move(files)}};
}

std::string hmac_of(const Seal& seal, std::string_view key) {
    return vlm::hmac_sha256_hex(key, agent::to_text(json_of(seal)));
}

/// Throws std::exception if the text is not a seal.
Seal parse_seal(const std::string& text) {
    const json::value value = json::parse(text);
    const json::object& all = value.as_object();
    if (all.at("format").to_number<int>() != seal_format)
        throw std::runtime_error("its format is unknown");
    Seal seal;
    seal.lines = all.at("lines").to_number<std::uint64_t>();
    seal.last_line_sha256 = all.at("last_line_sha256").as_string();
    for (const auto& [name, file] : all.at("files").as_object())
        seal.files[name] = {file.at("bytes").to_number<std::uint64_t>(),
                            std::string(file.at("sha256").as_string())};
    if (const json::value* hmac = all.if_contains("hmac")) seal.hmac = hmac->as_string();
    return seal;
}

class Verifier {
public:
    Verifier(const agent::RunStore& run, std::string_view key)
        : run_(run), key_(key), chain_(std::string(key)) {}

    Verification verify() {
        read_seal();
        verify_journal();
        verify_end();
        if (seal_is_current_) verify_sealed_files();
        find_added_files();
        if (!key_.empty() && chain_.has_key())
            result_.assurance = Assurance::key;
        else if (chain_.has_key())
            result_.assurance = Assurance::none;
        return std::move(result_);
    }

private:
    void problem(std::string file, std::size_t line, std::string text) {
        result_.problems.push_back({std::move(file), line, std::move(text)});
    }

    void read_seal() {
        const auto text = bytes_of(run_, seal_name);
        if (!text) return;
        try {
            seal_ = parse_seal(*text);
        } catch (const std::exception& reason) {
            problem(seal_name, 0, fmt::format("cannot be read: {}", reason.what()));
            return;
        }
        if (key_.empty()) return;
        if (seal_->hmac.empty())
            problem(seal_name, 0, "was written without a key");
        else if (seal_->hmac != hmac_of(*seal_, key_))
            problem(seal_name, 0, "was changed, or written with another key");
    }

    void verify_journal() {
        const auto in = run_.open_read(agent::journal_name);
        if (!in) throw agent::Error(agent::errc::bad_run, "the run has no journal");
        std::string line;
        while (std::getline(*in, line)) {
            if (in->eof()) { // no line break
                torn_ = true;
                break;
            }
            ++result_.lines;
            const agent::Event event = agent::parse_event(line);
            if (std::string wrong = chain_.check(event); !wrong.empty())
                problem(agent::journal_name, result_.lines, std::move(wrong));
            if (seal_ && result_.lines == seal_->lines &&
                vlm::sha256_hex(line) != seal_->last_line_sha256)
                problem(agent::journal_name, result_.lines, "it has been changed");
            if (seal_ && result_.lines == seal_->lines + 1)
                resumed_after_seal_ = std::holds_alternative<agent::RunResumed>(event.payload);
            verify_files_of(event);
        }
    }

    void verify_files_of(const agent::Event& event) {
        ended_ = std::holds_alternative<agent::RunFinished>(event.payload);
        agent::visit(
            event,
            [&](const agent::Observed& it) {
                verify_screenshot(it.file, it.sha256);
                verify_screenshot(it.raw_file, it.raw_sha256);
            },
            [&](const agent::Invoked& it) {
                for (const agent::ResultImage& image : it.images)
                    verify_screenshot(image.file, image.sha256);
            },
            [&](const agent::Asked& it) {
                if (!it.sent) return;
                for (const agent::SentMessage& message : it.sent->added) {
                    for (const agent::SentPart& part : message.parts)
                        if (part.image_sha256.empty()) verify_prompt(part.text);
                    if (message.items) verify_prompt(*message.items);
                }
                if (it.sent->tools) verify_prompt(*it.sent->tools);
                if (it.sent->structure) verify_prompt(*it.sent->structure);
            },
            [&](const agent::RunResumed&) { was_resumed_ = true; },
            [&](const agent::UnknownEvent& it) {
                if (it.type.empty() || !it.problem.empty())
                    problem(agent::journal_name, result_.lines,
                            it.problem.empty() ? "it is not an entry of a journal" : it.problem);
            },
            [](const auto&) {});
    }

    void verify_screenshot(const std::string& name, const std::string& sha256) {
        if (name.empty()) return;
        const auto [known, is_new] = named_.emplace(name, sha256);
        if (!is_new) {
            if (known->second != sha256)
                problem(agent::journal_name, result_.lines,
                        fmt::format("it names {} with another hash than a line before it", name));
            return;
        }
        ++result_.screenshots;
        const auto bytes = bytes_of(run_, name);
        if (!bytes)
            problem(name, 0, "is missing");
        else if (vlm::sha256_hex(*bytes) != sha256)
            problem(name, 0, "has been changed");
    }

    void verify_prompt(const agent::SentText& text) {
        if (!prompts_.insert(text.hash).second) return;
        ++result_.prompts;
        const auto content = agent::read_prompt(run_, text.hash);
        if (!content || content->size() != text.bytes)
            problem(fmt::format("{}{:.2}/{}.txt", prompts_folder, text.hash, text.hash), 0,
                    "is missing or has been changed");
    }

    void verify_end() {
        if (torn_) result_.unverified.emplace_back("the last line of the journal is incomplete");
        if (!ended_)
            result_.unverified.emplace_back("the run was interrupted or is in progress: lines may "
                                            "be missing at the end of the journal");
        if (!seal_) {
            if (!ended_ || !result_.problems.empty()) return;
            if (!key_.empty())
                problem(seal_name, 0, "is missing");
            else
                result_.unverified.emplace_back(
                    "the run has no seal: its logs and the end of the journal are not verified");
            return;
        }
        if (result_.lines < seal_->lines) {
            problem(agent::journal_name, result_.lines,
                    fmt::format("{} lines after it are missing", seal_->lines - result_.lines));
        } else if (result_.lines > seal_->lines && resumed_after_seal_) {
            result_.unverified.push_back(
                fmt::format("the run was resumed after its seal: the logs and the lines after "
                            "line {} of the journal have no new seal yet",
                            seal_->lines));
        } else if (result_.lines > seal_->lines) {
            problem(agent::journal_name, static_cast<std::size_t>(seal_->lines) + 1,
                    "it was added after the end of the run");
        }
        seal_is_current_ = !(result_.lines > seal_->lines && resumed_after_seal_);
    }

    void verify_sealed_files() {
        for (const auto& [name, file] : seal_->files) {
            ++result_.logs;
            const auto now = measured(run_, name, file.bytes);
            if (!now)
                problem(name, 0, "is missing");
            else if (now->bytes < file.bytes)
                problem(name, 0, "is shorter than at the end of the run");
            else if (now->sha256 != file.sha256)
                problem(name, 0, "has been changed");
            else if (now->bytes > file.bytes)
                problem(name, 0, "has text after its end");
        }
    }

    void find_added_files() {
        std::size_t unnamed = 0;
        for (const std::string& name : run_.names()) {
            if (name == agent::journal_name || name == seal_name || is_no_evidence(name)) continue;
            const bool is_prompt = name.starts_with(prompts_folder);
            if (is_prompt ? prompts_.contains(hash_in(name)) : named_.contains(name)) continue;
            if (seal_ && seal_->files.contains(name)) continue;
            // Without a seal, logs are not verified. A run that was interrupted between a file and
            // its entry leaves the file.
            if (!seal_is_current_ && !is_named_by_journal(name)) continue;
            if (seal_is_current_ && !was_resumed_)
                problem(name, 0, "was added");
            else
                ++unnamed;
        }
        if (unnamed > 0)
            result_.unverified.push_back(
                fmt::format("{} files are not named in the journal; an interruption leaves at most "
                            "one or two",
                            unnamed));
    }

    /// Of "prompts/3f/3f....txt".
    static std::string hash_in(const std::string& name) {
        const std::size_t from = name.rfind('/') + 1;
        return name.substr(from, name.rfind('.') - from);
    }

    const agent::RunStore& run_;
    std::string_view key_;
    agent::ChainVerifier chain_;
    std::optional<Seal> seal_;
    std::map<std::string, std::string> named_; ///< SHA-256 of the screenshots, by name
    std::set<std::string> prompts_;            ///< by hash
    bool torn_ = false;
    bool ended_ = false; ///< the latest line is the run's end
    bool was_resumed_ = false;
    bool resumed_after_seal_ = false;
    bool seal_is_current_ = false;
    Verification result_;
};

} // namespace

void seal_run(agent::RunStore& run, std::string_view key) {
    Seal seal;
    if (const auto in = run.open_read(agent::journal_name)) {
        std::string last;
        for (std::string line; std::getline(*in, line) && !in->eof(); ++seal.lines) last.swap(line);
        seal.last_line_sha256 = vlm::sha256_hex(last);
    }
    for (const std::string& name : run.names()) {
        if (name == agent::journal_name || name == seal_name || is_no_evidence(name) ||
            is_named_by_journal(name))
            continue;
        if (auto file = measured(run, name)) seal.files[name] = *std::move(file);
    }
    json::object all = json_of(seal);
    if (!key.empty()) all["hmac"] = hmac_of(seal, key);
    run.replace(seal_name, agent::to_text(all) + "\n");
}

namespace {

/// As one line for a terminal.
std::string printable(const std::string& text) {
    return base::escape_invisible(agent::one_line(agent::to_valid_utf8(text)));
}

} // namespace

Verification verify_run(const agent::RunStore& run, std::string_view key) {
    return Verifier(run, key).verify();
}

std::string to_text(const Problem& problem) {
    return printable(problem.line == 0 ? fmt::format("{}: {}", problem.file, problem.text)
                                       : fmt::format("{}, line {}: {}", problem.file, problem.line,
                                                     problem.text));
}

std::string to_text(const Verification& verification) {
    std::string text;
    for (const Problem& problem : verification.problems) text += to_text(problem) + '\n';
    for (const std::string& note : verification.unverified)
        text += printable("not verified: " + note) + '\n';
    text += fmt::format("{}: {} lines of the journal, {} screenshots, {} prompts, {} other files\n",
                        verification.problems.empty() ? "no change found" : "changed",
                        verification.lines, verification.screenshots, verification.prompts,
                        verification.logs);
    if (!verification.problems.empty()) return text;
    switch (verification.assurance) {
    case Assurance::hashes:
        text += "no protection against a person with write access, who can compute new hashes: the "
                "run has no key\n";
        break;
    case Assurance::key:
        text += "guarantee: nothing that was verified can have been changed without the key\n";
        break;
    case Assurance::none:
        text += "no protection: the run has a key, which is required to verify the journal\n";
        break;
    }
    return text;
}

} // namespace eyehand::session
