#include "eyehand/vlm/digest.hpp"

#include "catch.hpp"

#include <vector>

using namespace eyehand;

// The vectors are those of NIST: FIPS 180-2, appendix B, and the SHA examples with zero bits.

TEST_CASE("SHA-256 of nothing") {
    CHECK(vlm::sha256_hex("") ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(vlm::sha256_hex(std::span<const std::uint8_t>()) ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("SHA-256 of one block") {
    CHECK(vlm::sha256_hex("abc") ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("SHA-256 of two blocks") {
    CHECK(vlm::sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("SHA-256 of a million letters") {
    CHECK(vlm::sha256_hex(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 of bytes that arrive in pieces") {
    vlm::Sha256 nothing;
    CHECK(nothing.hex() == vlm::sha256_hex(""));
    vlm::Sha256 pieces;
    for (const char* piece :
         {"abcdbcdecdefdefg", "", "efghfghighijhijkijkljklmklmnlmnomnopnop", "q"})
        pieces.add(piece);
    CHECK(pieces.hex() ==
          vlm::sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
}

TEST_CASE("SHA-256 of bytes and of the same text are equal") {
    const std::vector<std::uint8_t> bytes{'a', 'b', 'c'};
    CHECK(vlm::sha256_hex(std::span<const std::uint8_t>(bytes)) == vlm::sha256_hex("abc"));
}

// RFC 4231, test cases 1, 2 and 6.
TEST_CASE("HMAC-SHA256 with a short key, and with one that is longer than a block") {
    CHECK(vlm::hmac_sha256_hex(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(vlm::hmac_sha256_hex("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(vlm::hmac_sha256_hex(std::string(131, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
