// Shortened answers of servers to queries about themselves, according to their documentation
// (llama-server's list of models is recorded, see llama_server.hpp).
#pragma once

#include <string_view>

namespace server_answers {

// --- llama-server --------------------------------------------------------------------------------

inline constexpr std::string_view llama_props =
    R"({"default_generation_settings":{"id":0,"n_ctx":16384,"params":{"n_predict":-1,"temperature":0.8}},
        "total_slots":1,"model_alias":"tiny-vl","model_path":"model/tiny.gguf",
        "modalities":{"vision":true,"audio":false},"chat_template":"{% for m in messages %}...",
        "chat_template_caps":{"supports_tools":true,"supports_tool_calls":true,"supports_system_role":true},
        "bos_token":"<s>","build_info":"b10587-3f545becc"})";

inline constexpr std::string_view llama_props_2024 =
    R"({"default_generation_settings":{"n_ctx":8192,"n_predict":-1},"total_slots":4,
        "chat_template":"{% if tools %}{{ tools | tojson }}{% endif %}"})";

inline constexpr std::string_view llama_slots =
    R"([{"id":0,"n_ctx":16384,"speculative":false,"is_processing":true,"id_task":135,
         "n_prompt_tokens":30,"params":{"max_tokens":512,"stream":true},
         "next_token":[{"has_next_token":true,"has_new_line":false,"n_remain":508,"n_decoded":4}]},
        {"id":1,"n_ctx":16384,"speculative":false,"is_processing":false}])";

inline constexpr std::string_view llama_slots_2025 =
    R"([{"id":0,"id_task":-1,"n_ctx":1024,"is_processing":false,"prompt":"",
         "next_token":{"has_next_token":true,"n_remain":-1,"n_decoded":0,"stopping_word":""}},
        {"id":1,"id_task":7,"n_ctx":1024,"is_processing":true,"prompt":"secret",
         "next_token":{"has_next_token":true,"n_remain":-1,"n_decoded":136,"stopping_word":""}}])";

inline constexpr std::string_view llama_slots_2024 =
    R"([{"id":0,"id_task":-1,"n_ctx":1024,"state":0,"prompt":"","next_token":{"n_decoded":0}}])";

inline constexpr std::string_view llama_no_slots =
    R"json({"error":{"code":501,"message":"This server does not support slots endpoint. Start it with `--slots`","type":"not_supported_error"}})json";

inline constexpr std::string_view llama_router =
    R"({"object":"list","data":[
        {"id":"org/seer:Q4","object":"model","owned_by":"llamacpp","in_cache":true,"status":{"value":"loaded"}},
        {"id":"org/reader:Q8","object":"model","owned_by":"llamacpp","in_cache":true,"status":{"value":"unloaded"}}]})";

// --- LM Studio -----------------------------------------------------------------------------------

inline constexpr std::string_view lm_studio_models =
    R"({"data":[{"id":"qwen/qwen3-vl-4b","object":"model","owned_by":"organization_owner"},
                {"id":"google/gemma-3-4b","object":"model","owned_by":"organization_owner"},
                {"id":"text-embedding-nomic-embed-text-v1.5","object":"model","owned_by":"organization_owner"}],
        "object":"list"})";

inline constexpr std::string_view lm_studio_own_models =
    R"({"models":[
        {"type":"llm","publisher":"google","key":"google/gemma-3-4b","display_name":"Gemma 3 4B",
         "loaded_instances":[],"max_context_length":131072,"format":"mlx",
         "capabilities":{"vision":true,"trained_for_tool_use":false},"description":null},
        {"type":"llm","publisher":"qwen","key":"qwen/qwen3-vl-4b","display_name":"Qwen3 VL 4B",
         "loaded_instances":[{"id":"second","config":{"context_length":4096}},
                             {"id":"qwen/qwen3-vl-4b","config":{"context_length":32768,"flash_attention":true}}],
         "max_context_length":262144,"capabilities":{"vision":true,"trained_for_tool_use":true}},
        {"type":"embedding","key":"text-embedding-nomic-embed-text-v1.5","loaded_instances":[],
         "max_context_length":2048}]})";

inline constexpr std::string_view lm_studio_v0_models =
    R"({"object":"list","data":[
        {"id":"qwen2-vl-7b","object":"model","type":"vlm","state":"loaded","max_context_length":32768,
         "loaded_context_length":8192,"capabilities":["tool_use"]},
        {"id":"phi-4","object":"model","type":"llm","state":"not-loaded","max_context_length":16384},
        {"id":"nomic","object":"model","type":"embeddings","state":"not-loaded","max_context_length":2048}]})";

inline constexpr std::string_view lm_studio_unknown_path =
    R"json({"error":"Unexpected endpoint or method. (GET /api/v1/models)"})json";

// --- Ollama --------------------------------------------------------------------------------------

inline constexpr std::string_view ollama_models =
    R"({"object":"list","data":[
        {"id":"me/tuned:latest","object":"model","created":1,"owned_by":"me"},
        {"id":"qwen3-vl:latest","object":"model","created":1,"owned_by":"library"}]})";

inline constexpr std::string_view ollama_tags =
    R"({"models":[{"name":"qwen3-vl:latest","model":"qwen3-vl:latest","size":1,"digest":"abc",
                   "details":{"family":"qwen3vl"}}]})";

inline constexpr std::string_view ollama_ps =
    R"({"models":[{"name":"qwen3-vl:latest","model":"qwen3-vl:latest","size":1,"digest":"abc",
                   "expires_at":"2026-11-22T00:00:00Z","context_length":4096}]})";

inline constexpr std::string_view ollama_show =
    R"({"parameters":"temperature    1\nnum_ctx    16384\nstop    \"<|x|>\"","template":"{{ .Prompt }}",
        "details":{"family":"qwen3vl"},"model_info":{"qwen3vl.context_length":262144},
        "capabilities":["completion","vision","tools"]})";

inline constexpr std::string_view ollama_show_2024 =
    R"({"template":"{{ if .Tools }}{{ .Tools }}{{ end }}","details":{"families":["llama","clip"]},
        "projector_info":{"clip.vision.block_count":23},"model_info":{}})";

// --- The others ----------------------------------------------------------------------------------

inline constexpr std::string_view vllm_models =
    R"({"object":"list","data":[{"id":"Qwen/Qwen3-VL-8B","object":"model","owned_by":"vllm",
        "root":"Qwen/Qwen3-VL-8B","parent":null,"max_model_len":65536,"permission":[{"id":"x"}]}]})";

inline constexpr std::string_view openrouter_models =
    R"({"data":[
        {"id":"qwen/qwen3-vl","context_length":131072,
         "architecture":{"modality":"text+image->text","input_modalities":["image","text"]},
         "supported_parameters":["max_tokens","tools","tool_choice"]},
        {"id":"some/writer","context_length":8000.0,"architecture":{"input_modalities":["text"]},
         "supported_parameters":["max_tokens"]}]})";

inline constexpr std::string_view plain_models =
    R"({"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"owner"}]})";

} // namespace server_answers
