#include "eyehand/vlm/digest.hpp"

#include <array>
#include <stdexcept>

#ifdef _WIN32
#include <algorithm>
#include <limits>

#include <windows.h>

#include <bcrypt.h>
#else
#include <openssl/evp.h>
#endif

namespace eyehand::vlm {
namespace {

using Digest = std::array<unsigned char, 32>;

#ifdef _WIN32

void check(NTSTATUS status) {
    if (status < 0) throw std::runtime_error("Windows refused to compute a SHA-256");
}

struct Algorithm {
    BCRYPT_ALG_HANDLE value = nullptr;
    Algorithm() { check(BCryptOpenAlgorithmProvider(&value, BCRYPT_SHA256_ALGORITHM, nullptr, 0)); }
    Algorithm(const Algorithm&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;
    ~Algorithm() { BCryptCloseAlgorithmProvider(value, 0); }
};

struct Hash {
    BCRYPT_HASH_HANDLE value = nullptr;
    explicit Hash(const Algorithm& algorithm) {
        check(BCryptCreateHash(algorithm.value, &value, nullptr, 0, nullptr, 0, 0));
    }
    Hash(const Hash&) = delete;
    Hash& operator=(const Hash&) = delete;
    ~Hash() { BCryptDestroyHash(value); }
};

Digest sha256(std::span<const std::uint8_t> bytes) {
    const Algorithm algorithm;
    const Hash hash(algorithm);
    while (!bytes.empty()) {
        const std::size_t length =
            std::min<std::size_t>(bytes.size(), std::numeric_limits<ULONG>::max());
        // The parameter is not const, but the function only reads.
        check(BCryptHashData(hash.value, const_cast<PUCHAR>(bytes.data()),
                             static_cast<ULONG>(length), 0));
        bytes = bytes.subspan(length);
    }
    Digest digest{};
    check(BCryptFinishHash(hash.value, digest.data(), static_cast<ULONG>(digest.size()), 0));
    return digest;
}

#else

Digest sha256(std::span<const std::uint8_t> bytes) {
    Digest digest{};
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("OpenSSL refused to compute a SHA-256");
    return digest;
}

#endif

} // namespace

std::string sha256_hex(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(64);
    for (const unsigned char byte : sha256(bytes)) {
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

std::string sha256_hex(std::string_view text) {
    return sha256_hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

} // namespace eyehand::vlm
