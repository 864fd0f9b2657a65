// The hashes that connect the lines of a journal: SHA-256, or HMAC-SHA256 with a key.
#pragma once

#include "eyehand/vlm/digest.hpp"
#include "record/journal_json.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace eyehand::agent {

class LineHash {
public:
    /// Without a key: SHA-256.
    explicit LineHash(std::string key = {}) : key_(std::move(key)) {}

    /// The "prev" of the first line, which names no line before it.
    [[nodiscard]] std::string first() const { return key_.empty() ? std::string(no_hash) : of(""); }
    /// Of a line without its line break.
    [[nodiscard]] std::string of(std::string_view line) const {
        return key_.empty() ? vlm::sha256_hex(line) : vlm::hmac_sha256_hex(key_, line);
    }
    [[nodiscard]] bool has_key() const { return !key_.empty(); }

private:
    std::string key_;
};

} // namespace eyehand::agent
