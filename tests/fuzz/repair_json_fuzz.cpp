// For any input: valid JSON stays unchanged, a repair gives valid JSON, and another repair does not
// change it.
#include "wire/json.hpp"
#include "wire/repair_json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto repaired = vlm::wire::repair_json(text);
    const bool valid = vlm::wire::parse_json(text).has_value();
    require(!valid || (repaired && repaired->text == text && repaired->repairs.empty()));
    if (repaired) {
        require(vlm::wire::parse_json(repaired->text).has_value());
        require(valid || !repaired->repairs.empty() || repaired->text.size() < text.size());
        const auto again = vlm::wire::repair_json(repaired->text);
        require(again && again->text == repaired->text && again->repairs.empty());
    }
    if (const auto object = vlm::wire::repair_object(text)) {
        const auto again = vlm::wire::repair_object(object->text);
        require(again && again->text == object->text && again->repairs.empty());
        require(again->value == object->value);
    }
    return 0;
}
