// Any answer of a server about itself gives nothing, or bounded facts that can be printed and used
// in a request.
#include "wire/decode_server.hpp"
#include "wire/utf8.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace eyehand;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check(const vlm::wire::ModelFacts& model) {
    require(!model.context_tokens || *model.context_tokens > 0);
    require(model.id.size() <= 1000 && vlm::wire::valid_utf8(model.id) == model.id);
    for (const std::string& name : model.other_names) require(model.is_called(name));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    if (const auto list = vlm::wire::decode_model_list(body)) {
        for (const vlm::wire::ModelFacts& model : list->models) {
            require(!model.id.empty());
            check(model);
            vlm::wire::ModelFacts learned = list->models.front();
            learned.learn(model);
            check(learned);
        }
    }
    if (const auto props = vlm::wire::decode_llama_props(body)) {
        require(props->version.size() < 200);
        check(props->model);
    }
    if (const auto slots = vlm::wire::decode_llama_slots(body)) {
        require(!slots->empty());
        for (const vlm::wire::LlamaSlot& slot : *slots)
            require(slot.generated_tokens >= 0 && slot.task.value_or(0) >= 0);
    }
    if (const auto shown = vlm::wire::decode_ollama_show(body)) check(*shown);
    if (const auto version = vlm::wire::decode_version(body))
        require(!version->empty() && version->size() < 200);
    return 0;
}
