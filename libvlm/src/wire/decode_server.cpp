#include "decode_server.hpp"

#include "contains_any.hpp"
#include "json.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

constexpr std::size_t max_version = 100; // bytes
constexpr std::size_t max_aliases = 100; // of one model
constexpr std::size_t max_slots = 1000;  // llama-server has a few

// --- Members of any type -------------------------------------------------------------------------

std::optional<json::object> parsed_object(std::string_view body) {
    std::optional<json::value> value = parse_json(trimmed(body));
    if (!value || !value->is_object()) return std::nullopt;
    return std::move(value->get_object());
}

const json::array* array_member(const json::object& object, std::string_view name) {
    const json::value* value = member(object, name);
    return value ? value->if_array() : nullptr;
}

std::optional<bool> bool_member(const json::object& object, std::string_view name) {
    const json::value* value = member(object, name);
    if (!value || !value->is_bool()) return std::nullopt;
    return value->get_bool();
}

/// A number of tokens: an integer above 0 that fits into an int.
std::optional<int> count_member(const json::object& object, std::string_view name) {
    const json::value* value = member(object, name);
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code failed;
    const int count = value->to_number<int>(failed);
    if (failed || count <= 0) return std::nullopt;
    return count;
}

std::string name_in(const json::object& object, std::string_view member_name) {
    const std::string_view name = string_member(object, member_name);
    return name.size() <= max_model_name ? std::string(name) : std::string();
}

std::vector<std::string> names_in(const json::object& object, std::string_view member_name) {
    std::vector<std::string> names;
    if (const json::array* list = array_member(object, member_name))
        for (const json::value& value : *list)
            if (names.size() < max_aliases && value.is_string() &&
                value.get_string().size() <= max_model_name)
                names.emplace_back(value.get_string());
    return names;
}

Support known(bool value) { return value ? Support::yes : Support::no; }

Support known(std::optional<bool> value) { return value ? known(*value) : Support::unknown; }

/// Whether `word` is in the list; unknown if there is no list.
Support listed(const json::object& object, std::string_view list_name, std::string_view word) {
    const json::array* list = array_member(object, list_name);
    if (!list) return Support::unknown;
    return known(std::any_of(list->begin(), list->end(), [&](const json::value& value) {
        return value.is_string() && std::string_view(value.get_string()) == word;
    }));
}

// --- /v1/models and its relatives: {"data": [...]} -----------------------------------------------

ServerKind kind_of_owner(std::string_view owner) {
    if (owner == "llamacpp") return ServerKind::llama_server;
    if (owner == "vllm") return ServerKind::vllm;
    if (owner == "library") return ServerKind::ollama; // for models of Ollama's own library
    if (owner == "organization_owner" || owner == "organization-owner")
        return ServerKind::lm_studio; // its placeholder for the owner
    return ServerKind::unknown;
}

/// LM Studio's /api/v0/models: "state", "type", and the capability "tool_use".
void learn_from_v0(ModelFacts& model, const json::object& entry) {
    const std::string_view state = string_member(entry, "state");
    if (state.empty()) return;
    model.loaded = state == "loaded";
    model.context_tokens = count_member(entry, "loaded_context_length");
    const std::string_view type = string_member(entry, "type");
    if (type == "vlm" || type == "llm") model.images = known(type == "vlm");
    model.chats = type != "embeddings" && type != "embedding";
    model.tools = listed(entry, "capabilities", "tool_use");
}

ModelFacts decode_listed(const json::object& entry) {
    ModelFacts model;
    model.id = name_in(entry, "id");
    model.other_names = names_in(entry, "aliases");
    for (const std::string_view name : {"max_model_len", "context_length"}) // vLLM; OpenRouter
        if (const auto count = count_member(entry, name)) model.context_tokens = count;
    if (const json::object* meta = object_member(entry, "meta")) // llama-server
        if (const auto count = count_member(*meta, "n_ctx")) model.context_tokens = count;
    if (const json::object* status = object_member(entry, "status")) { // llama-server as a router
        const std::string_view value = string_member(*status, "value");
        if (!value.empty()) model.loaded = value == "loaded" || value == "sleeping";
    }
    if (const json::object* architecture = object_member(entry, "architecture")) // OpenRouter
        model.images = listed(*architecture, "input_modalities", "image");
    model.tools = listed(entry, "supported_parameters", "tools"); // OpenRouter
    learn_from_v0(model, entry);
    return model;
}

/// llama-server adds a list in Ollama's form, whose "capabilities" name "multimodal".
void learn_from_second_list(ModelList& list, const json::object& answer) {
    const json::array* entries = array_member(answer, "models");
    if (!entries || list.kind != ServerKind::llama_server) return;
    std::size_t read = 0;
    for (const json::value& value : *entries) {
        const json::object* entry = value.if_object();
        if (!entry || ++read > list.models.size()) continue;
        const std::string_view name = string_member(*entry, "name");
        const Support images = listed(*entry, "capabilities", "multimodal");
        for (ModelFacts& model : list.models)
            if (images != Support::unknown && model.id == name) model.images = images;
    }
}

ModelList decode_data(const json::array& data, const json::object& answer) {
    ModelList list;
    for (const json::value& value : data) {
        const json::object* entry = value.if_object();
        if (!entry || list.models.size() >= max_models) continue;
        ModelFacts model = decode_listed(*entry);
        if (model.id.empty()) continue;
        if (list.kind == ServerKind::unknown)
            list.kind = kind_of_owner(string_member(*entry, "owned_by"));
        if (list.kind == ServerKind::unknown && !string_member(*entry, "state").empty())
            list.kind = ServerKind::lm_studio;
        if (list.kind == ServerKind::llama_server && model.loaded) list.routes = true;
        list.models.push_back(std::move(model));
    }
    learn_from_second_list(list, answer);
    return list;
}

// --- {"models": [...]}: LM Studio's own list, and Ollama's ---------------------------------------

/// Adds a model under its key, and each of its loaded instances that has another name.
void add_lm_studio_model(ModelList& list, const json::object& entry, const json::array& instances) {
    ModelFacts model;
    model.id = name_in(entry, "key");
    model.chats = string_member(entry, "type") != "embedding";
    model.loaded = !instances.empty();
    if (const json::object* capabilities = object_member(entry, "capabilities")) {
        model.images = known(bool_member(*capabilities, "vision"));
        model.tools = known(bool_member(*capabilities, "trained_for_tool_use"));
    }
    const std::size_t place = list.models.size();
    list.models.push_back(model);
    for (const json::value& value : instances) {
        const json::object* instance = value.if_object();
        if (!instance || list.models.size() >= max_models) continue;
        const json::object* config = object_member(*instance, "config");
        const auto context = config ? count_member(*config, "context_length") : std::nullopt;
        const std::string id = name_in(*instance, "id");
        // A request by key is answered by the instance with that name, or else by any instance.
        ModelFacts& by_key = list.models[place];
        if (id == by_key.id || !by_key.context_tokens) by_key.context_tokens = context;
        if (id.empty() || id == by_key.id) continue;
        ModelFacts& by_id = list.models.emplace_back(model);
        by_id.id = id;
        by_id.context_tokens = context;
    }
}

ModelFacts decode_ollama_entry(const json::object& entry) {
    ModelFacts model;
    model.id = name_in(entry, "model"); // since 2024; older versions have only "name"
    if (model.id.empty()) model.id = name_in(entry, "name");
    model.context_tokens = count_member(entry, "context_length"); // /api/ps
    model.images = listed(entry, "capabilities", "vision");
    model.tools = listed(entry, "capabilities", "tools");
    return model;
}

ModelList decode_models(const json::array& entries) {
    ModelList list;
    for (const json::value& value : entries) {
        const json::object* entry = value.if_object();
        if (!entry || list.models.size() >= max_models) continue;
        const json::array* instances = array_member(*entry, "loaded_instances");
        if (instances && !name_in(*entry, "key").empty()) {
            list.kind = ServerKind::lm_studio;
            add_lm_studio_model(list, *entry, *instances);
        } else if (ModelFacts model = decode_ollama_entry(*entry); !model.id.empty()) {
            list.models.push_back(std::move(model));
        }
    }
    return list;
}

// --- Single models -------------------------------------------------------------------------------

/// Whether a Jinja template uses the tools of a request.
Support template_takes_tools(const json::object& props) {
    if (!string_member(props, "chat_template_tool_use").empty()) return Support::yes;
    const std::string_view text = string_member(props, "chat_template");
    return text.empty() ? Support::unknown : known(text.find("tools") != std::string_view::npos);
}

/// The value of a line "num_ctx    8192" of a modelfile's parameters.
std::optional<int> number_in_lines(std::string_view lines, std::string_view name) {
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = trimmed(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (!line.starts_with(name)) continue;
        const std::string_view value = trimmed(line.substr(name.size()));
        int number = 0;
        const char* const last = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), last, number);
        if (error == std::errc() && stop == last && number > 0) return number;
    }
    return std::nullopt;
}

// --- Slots ---------------------------------------------------------------------------------------

/// {"id": 0, "id_task": 135, "is_processing": true, "next_token": {"n_decoded": 4, ...}, ...}.
/// In newer versions, "next_token" is an array with one object, and "id_task" and "next_token" are
/// missing before the first request (llama.cpp, tools/server/README.md and server_slot::to_json in
/// tools/server/server-context.cpp).
std::optional<LlamaSlot> decode_slot(const json::value& value) {
    const json::object* entry = value.if_object();
    const auto is_processing = entry ? bool_member(*entry, "is_processing") : std::nullopt;
    if (!is_processing) return std::nullopt;
    LlamaSlot slot{.is_processing = *is_processing};
    boost::system::error_code failed;
    if (const json::value* task = member(*entry, "id_task"); task && task->is_number()) {
        const auto id = task->to_number<std::int64_t>(failed);
        if (!failed && id >= 0) slot.task = id;
    }
    const json::object* next = object_member(*entry, "next_token");
    if (const json::array* list = array_member(*entry, "next_token"); list && !list->empty())
        next = list->front().if_object();
    if (next) slot.generated_tokens = count_member(*next, "n_decoded").value_or(0);
    return slot;
}

// --- Refusals ------------------------------------------------------------------------------------

/// Whether the server rejected the content of the request. OpenRouter answers 404 if no host of a
/// model supports the request.
bool is_refusal(const Error& error) {
    constexpr std::array statuses{200, 400, 404, 415, 422, 500, 501};
    return error.status() &&
           std::find(statuses.begin(), statuses.end(), *error.status()) != statuses.end();
}

} // namespace

bool ModelFacts::is_called(std::string_view name) const {
    return name == id ||
           std::find(other_names.begin(), other_names.end(), name) != other_names.end();
}

void ModelFacts::learn(const ModelFacts& other) {
    chats = chats && other.chats;
    if (other.loaded) loaded = other.loaded;
    if (other.context_tokens) context_tokens = other.context_tokens;
    if (other.images != Support::unknown) images = other.images;
    if (other.tools != Support::unknown) tools = other.tools;
}

std::optional<ModelList> decode_model_list(std::string_view body) {
    const std::optional<json::object> answer = parsed_object(body);
    if (!answer || member(*answer, "error")) return std::nullopt;
    if (const json::array* data = array_member(*answer, "data")) return decode_data(*data, *answer);
    if (const json::array* models = array_member(*answer, "models")) return decode_models(*models);
    // Older versions of Ollama answer an empty list as {"object": "list", "data": null}.
    const json::value* data = answer->if_contains("data");
    if (data && data->is_null() && string_member(*answer, "object") == "list") return ModelList();
    return std::nullopt;
}

std::optional<LlamaProps> decode_llama_props(std::string_view body) {
    const std::optional<json::object> answer = parsed_object(body);
    const json::object* settings =
        answer ? object_member(*answer, "default_generation_settings") : nullptr;
    if (!settings) return std::nullopt;
    LlamaProps props;
    props.version = excerpt(string_member(*answer, "build_info"), max_version);
    props.model.context_tokens = count_member(*settings, "n_ctx");
    if (const json::object* modalities = object_member(*answer, "modalities"))
        props.model.images = known(bool_member(*modalities, "vision"));
    if (const json::object* caps = object_member(*answer, "chat_template_caps"))
        props.model.tools = known(bool_member(*caps, "supports_tools"));
    if (props.model.tools == Support::unknown) props.model.tools = template_takes_tools(*answer);
    return props;
}

std::optional<std::vector<LlamaSlot>> decode_llama_slots(std::string_view body) {
    const std::optional<json::value> answer = parse_json(trimmed(body));
    if (!answer || !answer->is_array() || answer->get_array().empty()) return std::nullopt;
    if (answer->get_array().size() > max_slots) return std::nullopt;
    std::vector<LlamaSlot> slots;
    for (const json::value& value : answer->get_array()) {
        const std::optional<LlamaSlot> slot = decode_slot(value);
        if (!slot) return std::nullopt;
        slots.push_back(*slot);
    }
    return slots;
}

std::optional<ModelFacts> decode_ollama_show(std::string_view body) {
    const std::optional<json::object> answer = parsed_object(body);
    if (!answer || (!array_member(*answer, "capabilities") && !object_member(*answer, "details")))
        return std::nullopt;
    ModelFacts model;
    model.context_tokens = number_in_lines(string_member(*answer, "parameters"), "num_ctx");
    model.images = listed(*answer, "capabilities", "vision");
    model.tools = listed(*answer, "capabilities", "tools");
    if (array_member(*answer, "capabilities")) return model;
    // Before 0.6.4: a projector means image input, and a template that prints tools means tool
    // calling.
    if (const json::object* projector = object_member(*answer, "projector_info"))
        if (!projector->empty()) model.images = Support::yes;
    if (string_member(*answer, "template").find(".Tools") != std::string_view::npos)
        model.tools = Support::yes;
    return model;
}

std::optional<std::string> decode_version(std::string_view body) {
    const std::optional<json::object> answer = parsed_object(body);
    if (!answer) return std::nullopt;
    std::string version = excerpt(string_member(*answer, "version"), max_version);
    if (version.empty()) return std::nullopt;
    return version;
}

bool refuses_images(const Error& error) {
    if (error.code() == errc::not_supported) return true;
    const std::string said = ascii_lower(error.server_message());
    return is_refusal(error) &&
           contains_any(said, {"image", "vision", "multimodal", "multi-modal", "content"}) &&
           contains_any(said, {"support", "not a multimodal", "unknown variant",
                               "invalid content type", "must be a string", "no vision"});
}

bool refuses_tools(const Error& error) {
    if (error.code() == errc::not_supported) return true;
    const std::string said = ascii_lower(error.server_message());
    // A rejected "tool_choice" does not mean that tool calling is unsupported.
    return is_refusal(error) && !contains_any(said, {"tool_choice"}) &&
           contains_any(said, {"tool", "function call"}) &&
           contains_any(said, {"support", "not enabled", "not allowed", "not available"});
}

} // namespace eyehand::vlm::wire
