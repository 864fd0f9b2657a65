// Texts that a model may type but does not receive, such as passwords.
//
//     agent::AgentOptions options;
//     options.secrets.add({.name = "mail", .read = [] { return password_of("mail"); },
//                          .processes = {"firefox*"}});
//     agent.run("Log in as anna." + options.secrets.instructions(), store, control);
//
// The model writes secret://mail in the text that it types. The value is read when the text is typed.
// Tool results that contain it, such as the text of the clipboard, contain secret://mail instead.
// docs/security.md describes what this protects and what it does not.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/export.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

struct Secret {
    std::string name{}; ///< letters, digits, "_" and "-"
    /// Returns the value in UTF-8, or nothing while it is not available. Called on the run's thread
    /// for each text that contains the secret, and when a run begins.
    std::function<std::optional<std::string>()> read{};
    /// Patterns (guard.hpp) of the windows into which the value may be typed: the window with the
    /// keyboard focus must match one pattern of each list that is not empty. Any program can choose the
    /// title of its windows, and on X11 also what it states as its process.
    std::vector<std::string> processes{};
    std::vector<std::string> titles{};
    std::string variable{}; ///< the environment variable that contains it: hidden from programs
};

/// A text in which secrets have been replaced by their values.
struct RevealedText {
    std::string text{};
    std::vector<std::string> secrets{}; ///< names of those that it contains
    std::string problem{}; ///< for the model: why the text cannot be typed; empty: it can
};

/// The secrets of a run. A value: copies are independent. Not thread-safe.
class EYEHAND_AGENT_API Secrets {
public:
    /// Values of fewer bytes are not replaced in results: they would be found in unrelated text.
    static constexpr std::size_t min_redacted_bytes = 4;

    /// Throws Error{bad_secret} for a name that is not valid or already there, or without `read`.
    void add(Secret secret);
    [[nodiscard]] bool empty() const { return secrets_.empty(); }
    /// In the order of `add`.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The environment variables that contain secrets.
    [[nodiscard]] std::vector<std::string> variables() const;

    /// A paragraph that tells the model how to type the secrets, to append to a task. Empty without
    /// secrets.
    [[nodiscard]] std::string instructions() const;

    /// Reads all values, so that `redact` replaces them.
    void read_all();
    /// Replaces each secret://NAME by the value. Without any secret, the text is returned unchanged.
    [[nodiscard]] RevealedText reveal(std::string_view text);
    /// Why the secret may not be typed into a window; empty: it may. `process` and `title` are empty
    /// if they are unknown.
    [[nodiscard]] std::string refusal(std::string_view name, std::string_view process,
                                      std::string_view title) const;
    /// Replaces the values that have been read by secret://NAME, the longest first.
    [[nodiscard]] std::string redact(std::string_view text) const;
    /// The same in all strings of a JSON text, except names of members.
    [[nodiscard]] std::string redact_json(std::string json_text) const;

private:
    struct Value {
        std::string name;
        std::string text;
    };
    [[nodiscard]] const Secret* find(std::string_view name) const;
    [[nodiscard]] std::string unknown(std::string_view name) const;
    void remember(const std::string& name, const std::string& text);

    std::vector<Secret> secrets_;
    std::vector<Value> values_; ///< that were read, longest first
};

/// Where values come from besides files. The library itself neither asks nor reads the environment.
struct SecretSources {
    /// Asks the user for the value of a secret; returns nothing if the user enters no value. Empty:
    /// the user cannot be asked.
    std::function<std::optional<std::string>(const std::string& name)> ask{};
    /// Returns the value of an environment variable in UTF-8, or nothing if it is not set. Called
    /// whenever the secret is read. Empty: no variable is set.
    std::function<std::optional<std::string>(const std::string& variable)> variable{};
};

/// Parses {"secrets": [{"name": ..., "environment": VARIABLE | "file": FILE | "prompt": true,
/// "process": ..., "title": ...}, ...]}. `sources.ask` is called for each secret with "prompt"; without it,
/// such a secret is an error. Throws Error{bad_secret}, naming `where`, the member and the reason;
/// unknown members are errors, too, and so is a variable that is not set or a file that cannot be
/// read. A line end at the end of a file is not part of the value.
[[nodiscard]] EYEHAND_AGENT_API Secrets parse_secrets(std::string_view text,
                                                      const std::string& where,
                                                      const SecretSources& sources = {});
/// Reads such a file, in which names of files are relative to its folder. Throws Error{bad_secret}
/// also if the file cannot be read.
[[nodiscard]] EYEHAND_AGENT_API Secrets load_secrets(const std::filesystem::path& file,
                                                     const SecretSources& sources = {});

} // namespace eyehand::agent
