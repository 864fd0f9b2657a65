#include "vlm/digest.hpp"

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

namespace vlm {
namespace {

using Digest = std::array<unsigned char, 32>;

#ifdef _WIN32

struct HashHandle {
    BCRYPT_HASH_HANDLE value = nullptr;
    HashHandle() = default;
    HashHandle(const HashHandle&) = delete;
    HashHandle& operator=(const HashHandle&) = delete;
    ~HashHandle() {
        if (value) BCryptDestroyHash(value);
    }
};

void check(NTSTATUS status) {
    if (status < 0) throw std::runtime_error("Windows refused to compute a SHA-256");
}

Digest sha256(std::span<const std::uint8_t> bytes) {
    HashHandle hash;
    // A pseudo handle (Windows 10): no algorithm provider to open and to close.
    check(BCryptCreateHash(BCRYPT_SHA256_ALG_HANDLE, &hash.value, nullptr, 0, nullptr, 0, 0));
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

} // namespace vlm
