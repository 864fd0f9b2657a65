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
#include <openssl/hmac.h>
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
    explicit Algorithm(ULONG flags) {
        check(BCryptOpenAlgorithmProvider(&value, BCRYPT_SHA256_ALGORITHM, nullptr, flags));
    }
    Algorithm(const Algorithm&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;
    ~Algorithm() { BCryptCloseAlgorithmProvider(value, 0); }
};

struct Hash {
    BCRYPT_HASH_HANDLE value = nullptr;
    /// With a key: its bytes; the function only reads them, although its parameter is not const.
    Hash(const Algorithm& algorithm, std::span<const std::uint8_t> key) {
        check(BCryptCreateHash(algorithm.value, &value, nullptr, 0,
                               const_cast<PUCHAR>(key.empty() ? nullptr : key.data()),
                               static_cast<ULONG>(key.size()), 0));
    }
    Hash(const Hash&) = delete;
    Hash& operator=(const Hash&) = delete;
    ~Hash() { BCryptDestroyHash(value); }
};

void add_to(const Hash& hash, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t length =
            std::min<std::size_t>(bytes.size(), std::numeric_limits<ULONG>::max());
        // The parameter is not const, but the function only reads.
        check(BCryptHashData(hash.value, const_cast<PUCHAR>(bytes.data()),
                             static_cast<ULONG>(length), 0));
        bytes = bytes.subspan(length);
    }
}

Digest digest_of(const Hash& hash, std::span<const std::uint8_t> bytes) {
    add_to(hash, bytes);
    Digest digest{};
    check(BCryptFinishHash(hash.value, digest.data(), static_cast<ULONG>(digest.size()), 0));
    return digest;
}

Digest sha256(std::span<const std::uint8_t> bytes) {
    const Algorithm algorithm(0);
    return digest_of(Hash(algorithm, {}), bytes);
}

Digest hmac_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> bytes) {
    const Algorithm algorithm(BCRYPT_ALG_HANDLE_HMAC_FLAG);
    return digest_of(Hash(algorithm, key), bytes);
}

#else

void check(int result) {
    if (result != 1) throw std::runtime_error("OpenSSL refused to compute a SHA-256");
}

Digest sha256(std::span<const std::uint8_t> bytes) {
    Digest digest{};
    check(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr));
    return digest;
}

Digest hmac_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> bytes) {
    Digest digest{};
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(),
             digest.data(), nullptr) == nullptr)
        throw std::runtime_error("OpenSSL refused to compute an HMAC-SHA256");
    return digest;
}

#endif

std::string hex(const Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const unsigned char byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

} // namespace

#ifdef _WIN32

struct Sha256::State {
    Algorithm algorithm{0};
    Hash hash{algorithm, {}};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
void Sha256::add(std::string_view bytes) { add_to(state_->hash, bytes_of(bytes)); }
std::string Sha256::hex() { return vlm::hex(digest_of(state_->hash, {})); }

#else

struct Sha256::State {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    check(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}
void Sha256::add(std::string_view bytes) {
    check(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
}
std::string Sha256::hex() {
    Digest digest{};
    check(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr));
    return vlm::hex(digest);
}

#endif

Sha256::~Sha256() = default;

std::string sha256_hex(std::span<const std::uint8_t> bytes) { return hex(sha256(bytes)); }

std::string sha256_hex(std::string_view text) { return sha256_hex(bytes_of(text)); }

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
    return hex(hmac_sha256(bytes_of(key), bytes_of(text)));
}

} // namespace eyehand::vlm
