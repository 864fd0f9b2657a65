// Answers recorded from llama-server (build 10587), byte for byte.
#pragma once

#include <string_view>

namespace llama_server {

inline constexpr std::string_view plain =
    R"({"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":" models press supported use click performance double which."}}],"created":1795294032,"model":"tiny-vl","system_fingerprint":"b10587-3f545becc","object":"chat.completion","usage":{"completion_tokens":10,"prompt_tokens":30,"total_tokens":40,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-CqOTtWJnv1Ev9IRXiyigavrhqZlPs4l9","timings":{"cache_n":0,"prompt_n":30,"prompt_ms":4.703,"prompt_per_token_ms":0.15676666666666667,"prompt_per_second":6378.90708058686,"predicted_n":10,"predicted_ms":2.769,"predicted_per_token_ms":0.3076666666666667,"predicted_per_second":3250.2708559046587}})";

inline constexpr std::string_view length =
    R"({"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":" server tools menu can"}}],"created":1795294032,"model":"tiny-vl","system_fingerprint":"b10587-3f545becc","object":"chat.completion","usage":{"completion_tokens":4,"prompt_tokens":30,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":29}},"id":"chatcmpl-wvIDtSz72U9cNrxSbvQAVGgKPzvR2Vcx","timings":{"cache_n":29,"prompt_n":1,"prompt_ms":18.478,"prompt_per_token_ms":18.478,"prompt_per_second":54.11841108345059,"predicted_n":4,"predicted_ms":0.772,"predicted_per_token_ms":0.25733333333333336,"predicted_per_second":3886.0103626943005}})";

inline constexpr std::string_view two_calls =
    R"({"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"server tools menu can view one using prompt.","tool_calls":[{"type":"function","function":{"name":"click","arguments":"{\"x\"\n:8,\"y\":6}"},"id":"YNtvQRAbc8eGJQt3fNue7bBiJMBcD0Mb"},{"type":"function","function":{"name":"click","arguments":"{\"x\":589,\"y\":3,\"button\":\"right\"}"},"id":"BLtDOcxeJ76adFwG9wILvbeaK980J2DF"}]}}],"created":1795294032,"model":"tiny-vl","system_fingerprint":"b10587-3f545becc","object":"chat.completion","usage":{"completion_tokens":90,"prompt_tokens":660,"total_tokens":750,"prompt_tokens_details":{"cached_tokens":659}},"id":"chatcmpl-PbBiYp7F8ukzMWe5gVCHPvUhyOtAUJhC","timings":{"cache_n":659,"prompt_n":1,"prompt_ms":0.792,"prompt_per_token_ms":0.792,"prompt_per_second":1262.6262626262626,"predicted_n":90,"predicted_ms":56.036,"predicted_per_token_ms":0.6296179775280899,"predicted_per_second":1588.2646869869368}})";

inline constexpr std::string_view cut_call =
    R"({"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"models press supported use click performance double which.","tool_calls":[{"type":"function","function":{"name":"click","arguments":"{"},"id":"HbeCxUuaPdrhTcTYVgEV5vWRjkMcLCN2"}]}}],"created":1795294032,"model":"tiny-vl","system_fingerprint":"b10587-3f545becc","object":"chat.completion","usage":{"completion_tokens":25,"prompt_tokens":660,"total_tokens":685,"prompt_tokens_details":{"cached_tokens":659}},"id":"chatcmpl-hQmvib0aSZdTnuiTSNyvHUOIxPv1TdQS","timings":{"cache_n":659,"prompt_n":1,"prompt_ms":0.831,"prompt_per_token_ms":0.831,"prompt_per_second":1203.369434416366,"predicted_n":25,"predicted_ms":14.864,"predicted_per_token_ms":0.6193333333333334,"predicted_per_second":1614.6393972012918}})";

inline constexpr std::string_view thinking =
    R"({"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":" models press supported use click performance double which.","reasoning_content":" models press supported use click performance double which.","tool_calls":[{"type":"function","function":{"name":"click","arguments":"{\"x\":341,\"y\":3}"},"id":"oj5BXU6eILBKGtAqZDx4nfJcc7dQqlNw"}]}}],"created":1795294103,"model":"tiny-vl","system_fingerprint":"b10587-3f545becc","object":"chat.completion","usage":{"completion_tokens":56,"prompt_tokens":662,"total_tokens":718,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-y2HTtIC3VWHF4FK1crSVarf45ZEgbXtN","timings":{"cache_n":0,"prompt_n":662,"prompt_ms":27.115,"prompt_per_token_ms":0.04095921450151057,"prompt_per_second":24414.530702563156,"predicted_n":56,"predicted_ms":48.145,"predicted_per_token_ms":0.8753636363636365,"predicted_per_second":1142.3823865406584}})";

inline constexpr std::string_view models =
    R"({"models":[{"name":"tiny-vl","model":"tiny-vl","modified_at":"","size":"","digest":"","type":"model","description":"","tags":[""],"capabilities":["completion","multimodal"],"parameters":"","details":{"parent_model":"","format":"gguf","family":"","families":[""],"parameter_size":"","quantization_level":""}}],"object":"list","data":[{"id":"tiny-vl","aliases":["tiny-vl"],"tags":[],"object":"model","created":1795294104,"owned_by":"llamacpp","meta":{"vocab_type":true,"n_vocab":1032,"n_ctx":32768,"n_ctx_train":131072,"n_embd":256,"n_params":1316352,"size":4478976,"ftype":"F16"}}]})";

inline constexpr std::string_view context_exceeded =
    R"({"error":{"code":400,"message":"request (72023 tokens) exceeds the available context size (32768 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":72023,"n_ctx":32768}})";

inline constexpr std::string_view bad_history =
    R"({"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 3: syntax error while parsing object key - invalid literal; last read: '{no'; expected string literal","type":"server_error"}})";

inline constexpr std::string_view bad_tool_choice =
    R"({"error":{"code":400,"message":"Invalid tool_choice: sometimes","type":"invalid_request_error"}})";

inline constexpr std::string_view loading =
    R"({"error":{"message":"Loading model","type":"unavailable_error","code":503}})";

inline constexpr std::string_view invalid_key =
    R"({"error":{"message":"Invalid API Key","type":"authentication_error","code":401}})";

inline constexpr std::string_view no_mmproj =
    R"({"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}})";

inline constexpr std::string_view unknown_path =
    R"({"error":{"message":"File Not Found","type":"not_found_error","code":404}})";

} // namespace llama_server
