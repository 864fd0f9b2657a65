// The server that the official conformance suite tests: its tools, resources and prompts have the names
// and results that the suite expects.
//   eyehand-mcp-conformance-server [--stdio]
// Prints its address, and serves until its standard input ends. With --stdio: serves over its standard streams.
#include "eyehand/agent/json_view.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/mcp/server.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace eyehand;
using mcp::CallResult;
using mcp::Exchange;

namespace {

/// A PNG with one red pixel.
const std::vector<std::uint8_t> png{
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00,
    0x00, 0x90, 0x77, 0x53, 0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x08,
    0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xDD, 0x8D,
    0xB0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
/// A WAV file without samples.
const std::vector<std::uint8_t> wav{
    0x52, 0x49, 0x46, 0x46, 0x24, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6D, 0x74,
    0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x40, 0x1F, 0x00, 0x00, 0x40, 0x1F,
    0x00, 0x00, 0x01, 0x00, 0x08, 0x00, 0x64, 0x61, 0x74, 0x61, 0x00, 0x00, 0x00, 0x00};

constexpr const char* no_arguments = R"({"type":"object","additionalProperties":false})";

std::string one_text(std::string_view name) {
    return R"({"type":"object","properties":{")" + std::string(name) +
           R"(":{"type":"string"}},"required":[")" + std::string(name) + R"("]})";
}

using Handler = std::function<CallResult(agent::JsonView, Exchange&)>;

void add_tool(mcp::Server& server, std::string name, std::string schema, Handler handler) {
    server.add(mcp::Tool{.name = std::move(name),
                         .description = "A tool of the conformance tests.",
                         .input_schema_json = std::move(schema),
                         .call = std::move(handler)});
}

void add_tool(mcp::Server& server, std::string name, Handler handler) {
    add_tool(server, std::move(name), no_arguments, std::move(handler));
}

void add_fixed(mcp::Server& server, std::string name, std::vector<mcp::Content> content) {
    add_tool(server, std::move(name), [content = std::move(content)](agent::JsonView, Exchange&) {
        return CallResult{.content = content};
    });
}

std::string text_in(agent::JsonView object, std::string_view member) {
    const auto value = object.find(member);
    return value ? std::string(value->string()) : std::string();
}

CallResult told(std::string_view before, const mcp::ElicitResult& answer) {
    const std::string_view action = answer.action == mcp::ElicitResult::Action::accept ? "accept"
                                    : answer.action == mcp::ElicitResult::Action::decline
                                        ? "decline"
                                        : "cancel";
    return mcp::text_result(std::string(before) + "action=" + std::string(action) +
                            ", content=" + answer.content_json);
}

std::string sampling(std::string_view prompt, int max_tokens) {
    return R"({"messages":[{"role":"user","content":{"type":"text","text":)" +
           agent::json_quote(prompt) + R"(}}],"maxTokens":)" + std::to_string(max_tokens) + "}";
}

constexpr const char* defaults_schema = R"({"type":"object","properties":{
    "name":{"type":"string","default":"John Doe"},
    "age":{"type":"integer","default":30},
    "score":{"type":"number","default":95.5},
    "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
    "verified":{"type":"boolean","default":true}}})";

constexpr const char* enums_schema = R"({"type":"object","properties":{
    "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
    "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
        {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
    "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
        "enumNames":["Option One","Option Two","Option Three"]},
    "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
    "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
        {"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})";

constexpr const char* schema_2020_12 = R"({
    "$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
    "$defs":{"address":{"$anchor":"addressDef","type":"object",
        "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
    "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
        "contactMethod":{"type":"string","enum":["phone","email"]},
        "phone":{"type":"string"},"email":{"type":"string"}},
    "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
    "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
    "then":{"required":["phone"]},"else":{"required":["email"]},
    "additionalProperties":false})";

void add_results(mcp::Server& server) {
    const mcp::Image image{.bytes = png};
    add_fixed(server, "test_simple_text",
              {mcp::Text{"This is a simple text response for testing."}});
    add_fixed(server, "test_image_content", {image});
    add_fixed(server, "test_audio_content", {mcp::Audio{.bytes = wav, .mime_type = "audio/wav"}});
    add_fixed(server, "test_embedded_resource",
              {mcp::ResourceContents{"test://embedded-resource", "text/plain",
                                     "This is an embedded resource content."}});
    add_fixed(server, "test_multiple_content_types",
              {mcp::Text{"Multiple content types test:"}, image,
               mcp::ResourceContents{"test://mixed-content-resource", "application/json",
                                     R"({"test":"data","value":123})"}});
    add_tool(server, "test_error_handling", [](agent::JsonView, Exchange&) {
        return mcp::error_result("This tool intentionally returns an error for testing");
    });
    add_tool(server, "test_tool_with_logging", [](agent::JsonView, Exchange& exchange) {
        for (const char* text : {R"("Tool execution started")", R"("Tool processing data")",
                                 R"("Tool execution completed")"})
            exchange.log(mcp::LogLevel::info, {}, text);
        return mcp::text_result("logged");
    });
    add_tool(server, "test_logging_tool", [](agent::JsonView, Exchange& exchange) {
        exchange.log(mcp::LogLevel::info, {}, R"("a message")");
        return mcp::text_result("logged");
    });
    add_tool(server, "test_tool_with_progress", [](agent::JsonView, Exchange& exchange) {
        for (const double done : {0.0, 50.0, 100.0}) exchange.progress(done, 100);
        return mcp::text_result("done");
    });
    add_fixed(server, "test_reconnection", {mcp::Text{"no reconnection was necessary"}});
    add_tool(server, "json_schema_2020_12_tool", schema_2020_12,
             [](agent::JsonView, Exchange&) { return mcp::text_result("valid"); });
    add_tool(
        server, "test_x_mcp_header",
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})",
        [](agent::JsonView arguments, Exchange&) {
            return mcp::text_result(text_in(arguments, "region"));
        });
}

void add_questions(mcp::Server& server) {
    add_tool(server, "test_sampling", one_text("prompt"),
             [](agent::JsonView arguments, Exchange& exchange) {
                 return mcp::text_result(
                     "LLM response: " +
                     exchange.sample("answer", sampling(text_in(arguments, "prompt"), 100)));
             });
    add_tool(server, "test_elicitation", one_text("message"),
             [](agent::JsonView arguments, Exchange& exchange) {
                 return told("User response: ",
                             exchange.elicit("answer", text_in(arguments, "message"),
                                             R"({"type":"object","properties":{
                        "username":{"type":"string","description":"User's response"},
                        "email":{"type":"string","description":"User's email address"}},
                        "required":["username","email"]})"));
             });
    add_tool(server, "test_elicitation_sep1034_defaults", [](agent::JsonView, Exchange& exchange) {
        return told("Elicitation completed: ",
                    exchange.elicit("answer", "Please review the values", defaults_schema));
    });
    add_tool(server, "test_elicitation_sep1330_enums", [](agent::JsonView, Exchange& exchange) {
        return told("Elicitation completed: ",
                    exchange.elicit("answer", "Please select options", enums_schema));
    });
    add_tool(server, "test_missing_capability", [](agent::JsonView, Exchange& exchange) {
        return mcp::text_result(exchange.sample("answer", sampling("Hello", 10)));
    });
    add_tool(server, "test_streaming_elicitation", [](agent::JsonView, Exchange& exchange) {
        return told("", exchange.elicit("name", "What is your name?", one_text("name")));
    });
}

/// Of the stateless revision: requests that the client repeats with an answer.
void add_repeated(mcp::Server& server) {
    constexpr const char* confirm =
        R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})";
    add_tool(server, "test_input_required_result_elicitation",
             [](agent::JsonView, Exchange& exchange) {
                 return told("Hello: ",
                             exchange.elicit("user_name", "What is your name?", one_text("name")));
             });
    add_tool(server, "test_input_required_result_sampling",
             [](agent::JsonView, Exchange& exchange) {
                 return mcp::text_result(exchange.sample(
                     "capital_question", sampling("What is the capital of France?", 100)));
             });
    add_tool(server, "test_input_required_result_list_roots",
             [](agent::JsonView, Exchange& exchange) {
                 return mcp::text_result(
                     exchange.ask({{.key = "client_roots", .method = "roots/list"}}).at(0));
             });
    add_tool(server, "test_input_required_result_request_state",
             [](agent::JsonView, Exchange& exchange) {
                 const bool again = exchange.request_state() == "waiting";
                 exchange.set_request_state("waiting");
                 (void)exchange.elicit("confirm", "Please confirm", confirm);
                 return mcp::text_result(again ? "state-ok" : "the state is missing");
             });
    add_tool(server, "test_input_required_result_tampered_state",
             [](agent::JsonView, Exchange& exchange) {
                 exchange.set_request_state("waiting");
                 return told("", exchange.elicit("confirm", "Please confirm", confirm));
             });
    add_tool(server, "test_input_required_result_multiple_inputs",
             [](agent::JsonView, Exchange& exchange) {
                 exchange.set_request_state("waiting");
                 const auto answers = exchange.ask(
                     {{.key = "user_name",
                       .method = "elicitation/create",
                       .params_json = R"({"message":"What is your name?","requestedSchema":)" +
                                      one_text("name") + "}"},
                      {.key = "greeting",
                       .method = "sampling/createMessage",
                       .params_json = sampling("Generate a greeting", 50)},
                      {.key = "client_roots", .method = "roots/list"}});
                 return mcp::text_result(answers[0] + answers[1] + answers[2]);
             });
    add_tool(
        server, "test_input_required_result_multi_round", [](agent::JsonView, Exchange& exchange) {
            exchange.set_request_state("step 1");
            const auto name =
                exchange.elicit("step1", "Step 1: What is your name?", one_text("name"));
            exchange.set_request_state("step 2");
            const auto color =
                exchange.elicit("step2", "Step 2: What is your favorite color?", one_text("color"));
            return mcp::text_result(name.content_json + color.content_json);
        });
    add_tool(server, "test_input_required_result_capabilities",
             [](agent::JsonView, Exchange& exchange) {
                 if (exchange.can_elicit())
                     return told("", exchange.elicit("confirm", "Please confirm", confirm));
                 return mcp::text_result(exchange.sample("answer", sampling("Hello", 10)));
             });
    server.add(mcp::Prompt{
        .name = "test_input_required_result_prompt",
        .description = "A prompt that asks first.",
        .get = [](agent::JsonView, Exchange& exchange) -> std::vector<mcp::PromptMessage> {
            const auto answer = exchange.elicit(
                "user_context", "What context should the prompt use?", one_text("context"));
            return {{.content = mcp::Text{answer.content_json}}};
        }});
}

void add_changes(mcp::Server& server) {
    add_tool(server, "test_trigger_tool_change", [&server](agent::JsonView, Exchange&) {
        if (!server.remove_tool("temporary_tool")) add_fixed(server, "temporary_tool", {});
        return mcp::text_result("changed");
    });
    add_tool(server, "test_trigger_prompt_change", [&server](agent::JsonView, Exchange&) {
        if (!server.remove_prompt("temporary_prompt"))
            server.add(mcp::Prompt{.name = "temporary_prompt",
                                   .description = "Comes and goes.",
                                   .get = [](agent::JsonView, Exchange&) {
                                       return std::vector<mcp::PromptMessage>{};
                                   }});
        return mcp::text_result("changed");
    });
}

void add_resources(mcp::Server& server) {
    const auto fixed = [&](std::string uri, std::string type,
                           std::variant<std::string, std::vector<std::uint8_t>> data) {
        server.add(mcp::Resource{.uri = uri,
                                 .name = uri,
                                 .description = "A resource of the conformance tests.",
                                 .mime_type = type,
                                 .read = [uri, type, data](Exchange&) {
                                     return std::vector<mcp::ResourceContents>{{uri, type, data}};
                                 }});
    };
    fixed("test://static-text", "text/plain", "This is the content of the static text resource.");
    fixed("test://static-binary", "image/png", png);
    fixed("test://watched-resource", "text/plain", "Watched.");
    server.add(mcp::ResourceTemplate{
        .uri_template = "test://template/{id}/data",
        .name = "template",
        .description = "A template of the conformance tests.",
        .mime_type = "application/json",
        .read = [](std::string_view uri, Exchange&) {
            constexpr std::string_view before = "test://template/";
            constexpr std::string_view after = "/data";
            const std::string id(
                uri.substr(before.size(), uri.size() - before.size() - after.size()));
            return std::vector<mcp::ResourceContents>{
                {std::string(uri), "application/json",
                 R"({"id":)" + agent::json_quote(id) +
                     R"(,"templateTest":true,"data":"Data for ID: )" + id + "\"}"}};
        }});
}

void add_prompts(mcp::Server& server) {
    using Messages = std::vector<mcp::PromptMessage>;
    const auto add = [&](std::string name, std::vector<mcp::PromptArgument> arguments,
                         std::function<Messages(agent::JsonView, Exchange&)> get) {
        server.add(mcp::Prompt{.name = std::move(name),
                               .description = "A prompt of the conformance tests.",
                               .arguments = std::move(arguments),
                               .get = std::move(get)});
    };
    add("test_simple_prompt", {}, [](agent::JsonView, Exchange&) -> Messages {
        return {{.content = mcp::Text{"This is a simple prompt for testing."}}};
    });
    add("test_prompt_with_arguments",
        {{.name = "arg1", .required = true}, {.name = "arg2", .required = true}},
        [](agent::JsonView arguments, Exchange&) -> Messages {
            return {
                {.content = mcp::Text{"Prompt with arguments: arg1='" + text_in(arguments, "arg1") +
                                      "', arg2='" + text_in(arguments, "arg2") + "'"}}};
        });
    add("test_prompt_with_embedded_resource", {{.name = "resourceUri", .required = true}},
        [](agent::JsonView arguments, Exchange&) -> Messages {
            return {
                {.content = mcp::ResourceContents{text_in(arguments, "resourceUri"), "text/plain",
                                                  "Embedded resource content for testing."}},
                {.content = mcp::Text{"Please process the embedded resource above."}}};
        });
    add("test_prompt_with_image", {}, [](agent::JsonView, Exchange&) -> Messages {
        return {{.content = mcp::Image{.bytes = png}},
                {.content = mcp::Text{"Please analyze the image above."}}};
    });
}

// ---- tasks --------------------------------------------------------------------------------------

constexpr const char* any_arguments = R"({"type":"object"})";
constexpr const char* confirm_schema =
    R"({"type":"object","properties":{"confirm":{"type":"boolean"}}})";

mcp::InputRequest confirmation(std::string key) {
    return {.key = std::move(key),
            .method = "elicitation/create",
            .params_json =
                R"({"message":"Confirm?","requestedSchema":)" + std::string(confirm_schema) + "}"};
}

void add_tasks(mcp::Server& server) {
    add_tool(server, "greet", any_arguments, [](agent::JsonView arguments, Exchange&) {
        return mcp::text_result("Hello, " + text_in(arguments, "name") + "!");
    });
    add_tool(server, "slow_compute", any_arguments, [](agent::JsonView arguments, Exchange& call) {
        const auto given = arguments.find("seconds");
        const std::chrono::milliseconds duration(
            static_cast<int>((given ? given->number() : 0) * 1000));
        if (duration.count() > 0) {
            call.continue_as_task();
            (void)base::wait_for(duration, call.stop());
        }
        return mcp::text_result("computed");
    });
    add_tool(server, "failing_job", any_arguments, [](agent::JsonView, Exchange& call) {
        call.require_task();
        return mcp::error_result("This job always fails.");
    });
    add_tool(server, "protocol_error_job", any_arguments,
             [](agent::JsonView, Exchange& call) -> CallResult {
                 call.continue_as_task();
                 throw mcp::Error(mcp::errc::invalid_params, "This job breaks the protocol.");
             });
    add_tool(server, "confirm_delete", any_arguments, [](agent::JsonView, Exchange& call) {
        call.continue_as_task();
        return told("", call.elicit("confirm", "Delete the file?", confirm_schema));
    });
    add_tool(server, "multi_input", any_arguments, [](agent::JsonView, Exchange& call) {
        call.continue_as_task();
        const auto answers = call.ask({confirmation("first"), confirmation("second")});
        return mcp::text_result(answers.at(0) + answers.at(1));
    });
    add_tool(server, "test_tool_with_task", any_arguments, [](agent::JsonView, Exchange& call) {
        const auto answer = call.elicit("user_name", "Your name?", one_text("name"));
        call.require_task();
        return told("", answer);
    });
}

} // namespace

int main(int argc, char** argv) {
    mcp::Server server({.name = "eyehand-conformance", .version = "1.0"});
    add_results(server);
    add_questions(server);
    add_repeated(server);
    add_changes(server);
    add_resources(server);
    add_prompts(server);
    add_tasks(server);
    if (argc > 1 && std::string_view(argv[1]) == "--stdio") {
        mcp::serve_stdio(server);
        return 0;
    }
    const mcp::HttpEndpoint endpoint(server, {});
    std::printf("%s\n", endpoint.url().c_str());
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
}
