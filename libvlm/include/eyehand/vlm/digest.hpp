// SHA-256 and HMAC-SHA256 (RFC 2104), computed by the system's cryptography library.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::vlm {

/// Returns the SHA-256 of `bytes` as 64 lower-case hexadecimal digits. Throws std::runtime_error if
/// the library fails.
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::string_view text);

/// Computes the SHA-256 of bytes that arrive in pieces, such as a file that is too large for memory.
/// Throws std::runtime_error if the library fails. Not thread-safe.
class EYEHAND_VLM_API Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view bytes);
    /// The SHA-256 of all pieces as 64 lower-case hexadecimal digits. Call it once, at the end.
    [[nodiscard]] std::string hex();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns the HMAC-SHA256 of `text` as 64 lower-case hexadecimal digits. It cannot be
/// computed without `key`. Throws std::runtime_error if the library fails.
[[nodiscard]] EYEHAND_VLM_API std::string hmac_sha256_hex(std::string_view key,
                                                          std::string_view text);

} // namespace eyehand::vlm
