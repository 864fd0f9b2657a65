#include "wire/rescue_calls.hpp"

#include "catch.hpp"

using namespace eyehand;
using vlm::IgnoredCall;
using vlm::ToolSpec;
using vlm::wire::Ending;
using vlm::wire::Rescue;
using vlm::wire::rescue_calls;

namespace {

const std::vector<ToolSpec> offered{
    {"click", "",
     R"({"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"},)"
     R"("start_box":{"type":"array"},"start_point":{"type":"array"},"button":{"type":"string"}}})"},
    {"type", "",
     R"({"type":"object","properties":{"text":{"type":"string"},)"
     R"("content":{"type":["string","null"]},"enter":{"type":"boolean"},)"
     R"("speed":{"anyOf":[{"type":"string"},{"type":"number"}]},"mode":{"enum":["a","b"]}}})"},
    {"drag", "", R"({"type":"object"})"},
    {"hotkey", "", R"({"type":"object","properties":{"key":{"type":"string"}}})"},
    {"scroll", "", R"({"type":"object"})"},
    {"wait", "", R"({"type":"object","properties":{"time":{"type":"number"}}})"},
    {"look", "", "not a schema"}};

std::vector<std::string> calls_in(const Rescue& rescue) {
    std::vector<std::string> calls;
    for (const vlm::ToolCall& call : rescue.calls) {
        CHECK(call.provenance == vlm::Provenance::text);
        calls.push_back(call.name + call.arguments_json);
    }
    return calls;
}

using Texts = std::vector<std::string>;
using Calls = Texts;

struct RescueCallsRow {
    std::string text;
    Calls calls;
    std::string rest;
    std::string form; // in the note
};

void check(const std::vector<RescueCallsRow>& rows) {
    for (const RescueCallsRow& row : rows) {
        CAPTURE(row.text);
        const Rescue rescue = rescue_calls(row.text, offered);
        CHECK(calls_in(rescue) == row.calls);
        CHECK(rescue.text == row.rest);
        REQUIRE(!rescue.notes.empty());
        const std::string count = std::to_string(row.calls.size());
        CHECK(rescue.notes[0] == "recovered " + count + " tool call" +
                                     (row.calls.size() == 1 ? "" : "s") + " from the text (" +
                                     row.form + ")");
        CHECK(!rescue.cut_call);
        CHECK(rescue.ignored_call == IgnoredCall::none);
    }
}

/// Checks that the text stays as it is. Returns why a call in it was ignored.
IgnoredCall check_none(const std::string& text, Ending ending = Ending::as_the_model_ended) {
    CAPTURE(text);
    const Rescue rescue = rescue_calls(text, offered, ending);
    CHECK(calls_in(rescue) == Calls{});
    CHECK(rescue.text == text);
    CHECK(rescue.notes.empty());
    return rescue.ignored_call;
}

std::string call(const std::string& name, const std::string& arguments) {
    return R"({"name":")" + name + R"(","arguments":)" + arguments + "}";
}

const std::string click = call("click", R"({"x":1,"y":2})");
const std::string clicked = R"(click{"x":1,"y":2})";

} // namespace

TEST_CASE("form 1: a call in <tool_call> tags, of which the closing one may be missing") {
    check({
        {"<tool_call>" + click + "</tool_call>", {clicked}, "", "<tool_call>"},
        {"I click.\n<tool_call>\n" + click + "\n</tool_call>\n",
         {clicked},
         "I click.",
         "<tool_call>"},
        {"<tool_call>" + click, {clicked}, "", "<tool_call>"},
        {"<tool_call>" + click + "</tool_call><tool_call>" + call("wait", "{}") + "</tool_call>",
         {clicked, "wait{}"},
         "",
         "<tool_call>"},
        {"<tool_call>" + click + "\n<tool_call>" + call("wait", "{}"),
         {clicked, "wait{}"},
         "",
         "<tool_call>"},
        {"<tool_call>" + click + "\n" + call("wait", "{}") + "</tool_call>",
         {clicked, "wait{}"},
         "",
         "<tool_call>"},
    });
}

TEST_CASE("form 1: a tag inside an argument does not end the call") {
    check(
        {{"<tool_call>" + call("type", R"({"text":"</tool_call> <tool_call>{"})") + "</tool_call>",
          {R"(type{"text":"</tool_call> <tool_call>{"})"},
          "",
          "<tool_call>"}});
}

TEST_CASE("after a marker, members of a call may have their alternative names or be missing") {
    for (const std::string& object :
         Texts{R"({"name":"wait","arguments":{}})", R"({"name":"wait","parameters":{}})",
               R"({"function":"wait","arguments":{}})", R"({"function":"wait","parameters":{}})",
               R"({"name":"wait"})", R"({"id":"7","type":"function","name":"wait"})",
               R"({"name":"wait","arguments":null})", R"({"name":"wait","arguments":""})",
               R"({"name":"wait","arguments":"{}"})",
               R"({"thought":"hm","name":"wait","arguments":{}})"})
        check({{"<tool_call>" + object + "</tool_call>", {"wait{}"}, "", "<tool_call>"}});
}

TEST_CASE("after a marker, an unclear call stays text") {
    for (const std::string& object :
         Texts{R"({"name":"click","x":1})", R"({"arguments":{}})", R"({"name":7,"arguments":{}})",
               R"({"name":"wait","arguments":[1]})", R"({"name":"wait","arguments":7})",
               R"({"name":"wait","arguments":"hello"})",
               R"({"name":"wait","function":"click","arguments":{}})",
               R"({"name":"wait","arguments":{},"parameters":{}})",
               R"({"function":{"name":"wait","arguments":{}}})", "{}", "{not json}"})
        check_none("<tool_call>" + object + "</tool_call>");
    check_none("The tag <tool_call> begins a call, </tool_call> ends it.");
    check_none("<tool_call>");
    check_none("<tool_call>[1]</tool_call>");
}

TEST_CASE("only offered tools are called, in every form") {
    for (const std::string& text :
         Texts{"<tool_call>" + call("format_disk", "{}") + "</tool_call>",
               "<tool_call><function=format_disk></function></tool_call>",
               "[TOOL_REQUEST]" + call("format_disk", "{}") + "[END_TOOL_REQUEST]",
               "```json\n" + call("format_disk", "{}") + "\n```", call("format_disk", "{}"),
               call("Click", "{}"), call("", "{}"), "Action: format_disk()"})
        check_none(text);
}

TEST_CASE("without offered tools nothing is recovered") {
    const Rescue rescue = rescue_calls("<tool_call>" + click + "</tool_call>", {});
    CHECK(rescue.calls.empty());
    CHECK(rescue.text == "<tool_call>" + click + "</tool_call>");
}

TEST_CASE("form 2: a call as function and parameter tags") {
    const std::string both = "<function=click>\n<parameter=x>\n1\n</parameter>\n"
                             "<parameter=y>\n2\n</parameter>\n</function>\n";
    check({
        {"<tool_call>\n" + both + "</tool_call>", {clicked}, "", "<function=...>"},
        {"Now.\n<tool_call>\n" + both + "</tool_call>\n", {clicked}, "Now.", "<function=...>"},
        {both, {clicked}, "", "<function=...>"},
        {both + "</tool_call>", {clicked}, "", "<function=...>"},
        {"<tool_call>" + both, {clicked}, "", "<function=...>"},
        {"<tool_call>" + both + "</tool_call><tool_call>" + both + "</tool_call>",
         {clicked, clicked},
         "",
         "<function=...>"},
        {"<tool_call><function=wait></function></tool_call>", {"wait{}"}, "", "<function=...>"},
        {"<tool_call><function=wait></tool_call>", {"wait{}"}, "", "<function=...>"},
        {"<tool_call><function=wait>", {"wait{}"}, "", "<function=...>"},
    });
}

TEST_CASE("form 2: a value is a string if the schema requires one, and otherwise parsed as JSON") {
    const auto arguments = [](const std::string& tool, const std::string& key,
                              const std::string& value) {
        const Rescue rescue = rescue_calls("<tool_call><function=" + tool + "><parameter=" + key +
                                               ">" + value + "</parameter></function></tool_call>",
                                           offered);
        return rescue.calls.empty() ? std::string() : rescue.calls[0].arguments_json;
    };
    CHECK(arguments("type", "text", "\n5\n") == R"({"text":"5"})");
    CHECK(arguments("type", "text", "\n\n a \n\n") == "{\"text\":\"\\n a \\n\"}");
    CHECK(arguments("type", "text", "\r\na\r\n") == R"({"text":"a"})");
    CHECK(arguments("type", "text", "{\"a\":1}") == R"({"text":"{\"a\":1}"})");
    CHECK(arguments("type", "content", "null") == R"({"content":"null"})");
    CHECK(arguments("type", "speed", "7") == R"({"speed":"7"})");
    CHECK(arguments("type", "mode", "7") == R"({"mode":"7"})");
    CHECK(arguments("type", "enter", " true ") == R"({"enter":true})");
    CHECK(arguments("click", "x", "\n-7\n") == R"({"x":-7})");
    CHECK(arguments("click", "start_box", "[1, 2,]") == R"({"start_box":[1,2]})");
    CHECK(arguments("click", "start_box", "[1, 2") == R"({"start_box":"[1, 2"})");
    CHECK(arguments("click", "x", "seven") == R"({"x":"seven"})");
    CHECK(arguments("click", "x", "\"7\"") == R"({"x":"\"7\""})");
    CHECK(arguments("drag", "any", "7") == R"({"any":7})");
    CHECK(arguments("look", "any", "there") == R"({"any":"there"})");
    CHECK(arguments("type", "text", "a</parameter") == R"({"text":"a</parameter"})");
}

TEST_CASE("form 2: a parameter without a name invalidates its call") {
    check_none("<function=click><parameter=>[1,2]</parameter></function>");
    check_none("<function=click><parameter= >[1,2]</parameter></function>");
}

TEST_CASE("form 2: an unclosed parameter invalidates its call") {
    check_none("<tool_call><function=click><parameter=x>1</function></tool_call>");
    check_none("<tool_call><function=click><parameter=x>1<parameter=y>2</parameter></function>");
    check_none("<tool_call><function=click><parameter=x>1</function><function=click><parameter=x>1"
               "</parameter></function>");
    check_none("<tool_call><function=click><parameter=x>1");
    check_none("<tool_call><function=click><parameter=x");
    check_none("<tool_call><function=click");
    check_none("<tool_call><function=click>x=1</function></tool_call>");
}

TEST_CASE("form 3: a call in [TOOL_REQUEST] markers") {
    check({
        {"[TOOL_REQUEST]" + click + "[END_TOOL_REQUEST]", {clicked}, "", "[TOOL_REQUEST]"},
        {"So.\n[TOOL_REQUEST]\n" + click + "\n[END_TOOL_REQUEST]\n",
         {clicked},
         "So.",
         "[TOOL_REQUEST]"},
        {"[TOOL_REQUEST]" + click, {clicked}, "", "[TOOL_REQUEST]"},
        {"[TOOL_REQUEST]" + click + "[END_TOOL_REQUEST][TOOL_REQUEST]" + call("wait", "{}") +
             "[END_TOOL_REQUEST]",
         {clicked, "wait{}"},
         "",
         "[TOOL_REQUEST]"},
    });
}

TEST_CASE("form 4: a single object with exactly the members of a call") {
    check({
        {click, {clicked}, "", "JSON"},
        {"\n " + click + "\n", {clicked}, "", "JSON"},
        {R"({"function":"wait","parameters":{}})", {"wait{}"}, "", "JSON"},
        {R"({"name":"wait","parameters":{}})", {"wait{}"}, "", "JSON"},
        {R"({"arguments":{},"function":"wait"})", {"wait{}"}, "", "JSON"},
    });
}

TEST_CASE("form 4: an example, data or a quotation is not a call") {
    for (const std::string& text :
         Texts{"A call looks like " + click + ".", click + " is what I would do",
               click + "\n" + click, R"({"name":"wait"})",
               R"({"name":"wait","arguments":{},"id":"7"})",
               R"({"name":"wait","arguments":{},"parameters":{}})", "[" + click + "]",
               "```\n" + click + "\n```", "```python\n" + click + "\n```",
               "```json\n[" + click + "]\n```",
               "```json\n{\"name\":\"wait\",\"arguments\":{},\"note\":\"an example\"}\n```",
               "```json\n{\"name\":\"wait\"}\n```"})
        CHECK(check_none(text) == IgnoredCall::none);
}

TEST_CASE("form 5: an action of UI-TARS calls the offered tool of that name") {
    const std::string thought = "Thought: The button is there.\n";
    check({
        {thought + "Action: click(start_box='(100,200)')",
         {R"(click{"start_box":[100,200]})"},
         "Thought: The button is there.",
         "Action:"},
        {"Action: click(start_box='<|box_start|>(100, 200)<|box_end|>')",
         {R"(click{"start_box":[100,200]})"},
         "",
         "Action:"},
        {"Action: click(start_point='<point>100 200</point>')",
         {R"(click{"start_point":[100,200]})"},
         "",
         "Action:"},
        {"Action: drag(start_box=\"(1,2)\", end_box=(3,4))",
         {R"(drag{"start_box":[1,2],"end_box":[3,4]})"},
         "",
         "Action:"},
        {"Action: drag(start_box=<|box_start|>(1,2)<|box_end|>, end_point=<point>3 4</point>)",
         {R"(drag{"start_box":[1,2],"end_point":[3,4]})"},
         "",
         "Action:"},
        {"Action: hotkey(key='ctrl c')", {R"(hotkey{"key":"ctrl c"})"}, "", "Action:"},
        {R"(Action: type(content='It\'s \"so\"\n(1,2) C:\Users'))",
         {R"(type{"content":"It's \"so\"\n(1,2) C:\\Users"})"},
         "",
         "Action:"},
        {"Action: scroll(start_box='(1,2)', direction='down', amount=5)",
         {R"(scroll{"start_box":[1,2],"direction":"down","amount":5})"},
         "",
         "Action:"},
        {"Action: type(content='(1,2)')", {"type{\"content\":\"(1,2)\"}"}, "", "Action:"},
        {"Action: wait()", {"wait{}"}, "", "Action:"},
        {"Action: wait( time = '5' )  \n", {R"(wait{"time":5})"}, "", "Action:"},
        {"Action: click(start_box='(1,2)')\n\nwait()\nAction: hotkey(key='a')",
         {R"(click{"start_box":[1,2]})", "wait{}", R"(hotkey{"key":"a"})"},
         "",
         "Action:"},
    });
}

TEST_CASE("form 5: an unclear action stays text") {
    for (const std::string& text : Texts{
             "The Action: wait() does nothing", "Action: wait() means waiting", "Action: wait",
             "Action: wait(", "Action: wait(5)", "Action: wait(time=)", "Action: wait(time='5)",
             "Action: wait(time=five)", "Action: wait(time=5", "Action: click(start_box=(1,2,3,4))",
             "Action:", "Action: click(start_box=<point>1</point>)"})
        check_none(text);
}

TEST_CASE("form 5: finished is a call only if a tool of that name was offered") {
    const std::string text = "Thought: Done.\nAction: finished(content='All is saved.')";
    check_none(text);
    const Rescue rescue = rescue_calls(text, {{"finished", "", R"({"type":"object"})"}});
    CHECK(calls_in(rescue) == Calls{R"(finished{"content":"All is saved."})"});
    CHECK(rescue.text == "Thought: Done.");
}

TEST_CASE("the JSON of a recovered call is repaired, and the notes name the repairs") {
    const auto recovered = [](const std::string& text, const std::string& note) {
        CAPTURE(text);
        const Rescue rescue = rescue_calls(text, offered);
        REQUIRE(rescue.calls.size() == 1);
        REQUIRE(rescue.notes.size() == 2);
        CHECK(rescue.notes[1] == "repaired the JSON of a recovered call (" + note + ")");
        CHECK(rescue.text.empty());
        return rescue.calls[0].name + rescue.calls[0].arguments_json;
    };
    CHECK(recovered(R"(<tool_call>{"name":"click","arguments":{"x":1,"y":2,}}</tool_call>)",
                    "trailing comma") == clicked);
    CHECK(recovered("[TOOL_REQUEST]{\"name\":\"type\",\"arguments\":{\"text\":\"a\nb\"}}"
                    "[END_TOOL_REQUEST]",
                    "raw control character in a string") == R"(type{"text":"a\nb"})");
    CHECK(recovered(R"(<tool_call>{"name":"click","arguments":{"x":1,"y":2}</tool_call>)",
                    "missing end") == clicked);
    CHECK(recovered(R"({"name":"click","arguments":{"x":1,"y":2})", "missing end") == clicked);
    CHECK(recovered(R"(<tool_call>{"name":"click","arguments":"{\"x\":1,\"y\":2,}"}</tool_call>)",
                    "trailing comma") == clicked);
    CHECK(rescue_calls("<tool_call>" + click + "}</tool_call>", offered).text.empty());
}

TEST_CASE("a missing brace does not affect the next call") {
    const std::string open = R"(<tool_call>{"name":"click","arguments":{"x":1,"y":2}</tool_call>)";
    CHECK(calls_in(rescue_calls(open + open, offered)) == Calls{clicked, clicked});
    CHECK(check_none(open + " so: }") == IgnoredCall::unclear);
}

TEST_CASE("calls in a think block are not recovered, in any form") {
    for (const std::string& leak :
         Texts{"<tool_call>" + click + "</tool_call>",
               "<tool_call><function=wait></function></tool_call>",
               "[TOOL_REQUEST]" + click + "[END_TOOL_REQUEST]", "```json\n" + click + "\n```",
               click, "\nAction: wait()\n"}) {
        check_none("<think>" + leak + "</think>");
        check_none("<think>" + leak);
        check_none(leak + "</think>Done.");
    }
}

TEST_CASE("a call after a think block is recovered, and the block stays in the text") {
    check({{"<think>hm</think>\n<tool_call>" + click + "</tool_call>",
            {clicked},
            "<think>hm</think>",
            "<tool_call>"},
           {"<think><tool_call>" + call("wait", "{}") + "</tool_call></think>" + click,
            {clicked},
            "<think><tool_call>" + call("wait", "{}") + "</tool_call></think>",
            "JSON"}});
}

TEST_CASE("a call that a think block interrupts is not recovered, nor are later calls") {
    check_none("<tool_call>" + call("type", R"({"text":"a<think>b</think>c"})") +
               "</tool_call><tool_call>" + click + "</tool_call>");
    check_none("<tool_call>" + call("type", R"({"text":"a<think>b</think>c"})") +
               "</tool_call>\n```json\n" + click + "\n```");
}

TEST_CASE(
    "a marked call that cannot be used excludes all calls, because later calls depend on it") {
    const std::string good = "<tool_call>" + click + "</tool_call>";
    const std::string bad = "<tool_call>" + call("format_disk", "{}") + "</tool_call>";
    for (const std::string& text :
         Texts{good + bad + good, bad + good, good + bad, bad + "\n" + click,
               "Action: format_disk()\nAction: wait()", "Action: wait()\nAction: format_disk()"})
        CHECK(check_none(text) == IgnoredCall::unclear);
}

TEST_CASE("a call must end the text, in every form") {
    const std::string marked = "<tool_call>" + click + "</tool_call>";
    for (const std::string& leak :
         Texts{marked, "<tool_call><function=wait></function></tool_call>",
               "[TOOL_REQUEST]" + click + "[END_TOOL_REQUEST]", "Action: wait()"}) {
        CHECK(check_none(leak + "\nThen I wait.") == IgnoredCall::unclear);
        CHECK(check_none("The page says:\n" + leak + "\nThat is all.") == IgnoredCall::unclear);
    }
    CHECK(check_none(marked + " and then " + marked) == IgnoredCall::unclear);
    CHECK(check_none(marked + "\n```json\n" + click + "\n```") == IgnoredCall::unclear);
    CHECK(check_none(click + "\nThen I wait.") == IgnoredCall::none); // without marks, it is JSON
    check({{"I click.\n" + marked + "\n<think>hm</think>\n",
            {clicked},
            "I click.\n\n<think>hm</think>",
            "<tool_call>"}});
}

TEST_CASE("a call in quotation marks, code or a block quote is text, in every form") {
    for (const std::string& leak : Texts{"<tool_call>" + click + "</tool_call>",
                                         "<tool_call><function=wait></function></tool_call>",
                                         "[TOOL_REQUEST]" + click + "[END_TOOL_REQUEST]"}) {
        for (const std::string& text : Texts{"The page says: \"" + leak + "\"",
                                             "The page says: \"" + leak,
                                             "It says '" + leak + "'",
                                             "It says “" + leak + "”",
                                             "Es heißt „" + leak + "“",
                                             "Il dit « " + leak + " »",
                                             "It says “Hello.\n\n" + leak,
                                             "```\n" + leak + "\n```",
                                             "~~~xml\n" + leak + "\n~~~",
                                             "```xml\n" + leak + "\n````",
                                             "```xml\n" + leak,
                                             "`" + leak + "`",
                                             "```" + leak + "```",
                                             "> " + leak,
                                             "> The page:\n" + leak,
                                             "- > " + leak,
                                             "The page:\n\n    " + leak,
                                             "\t" + leak,
                                             "<pre>" + leak + "</pre>",
                                             "<blockquote>\n" + leak + "</blockquote>",
                                             "<tool_response>" + leak + "</tool_response>"})
            CHECK(check_none(text) == IgnoredCall::quoted);
        CHECK(check_none("> " + leak + "\n\nThat is all.") == IgnoredCall::none);
        CHECK(check_none("It says \"" + leak + "\" and more.") == IgnoredCall::none);
    }
    CHECK(check_none("```json\n" + click + "\n```") == IgnoredCall::quoted);
    CHECK(check_none("I click:\n```json\n" + click) == IgnoredCall::quoted);
    CHECK(check_none("```\nAction: wait()\n```") == IgnoredCall::none);
    CHECK(check_none("> The page:\nAction: wait()") == IgnoredCall::none);
}

TEST_CASE("a call after a quotation is a call, whatever its arguments contain") {
    const std::string marked = "<tool_call>" + click + "</tool_call>";
    const std::string type =
        "<tool_call>" + call("type", R"({"text":"`\n```\n> \"it's\" “"})") + "</tool_call>";
    for (const std::string& words :
         Texts{"I click \"Save\", not 'Save as'.", "It's the user's `button`.", "A 27\" screen.",
               "```\n" + marked + "\n```", "`" + marked + "`", "“" + marked + "”",
               "> " + marked + "\n", "The tag `<tool_call>` begins a call.",
               "Es ist „Speichern“. »Ja« „Nein”", "the users' files"}) {
        CAPTURE(words);
        CHECK(calls_in(rescue_calls(words + "\n" + marked, offered)) == Calls{clicked});
        CHECK(calls_in(rescue_calls(words + "\n" + type + "\n" + marked, offered)).size() == 2);
    }
    CHECK(calls_in(rescue_calls("Thought: \"Save\" is there.\nAction: wait()", offered)) ==
          Calls{"wait{}"});
}

TEST_CASE("very many calls are not recovered") {
    std::string many;
    for (int i = 0; i < 100; ++i) many += "<tool_call>" + click + "</tool_call>";
    CHECK(rescue_calls(many, offered).calls.size() == 100);
    CHECK(check_none(many + "<tool_call>" + click + "</tool_call>") == IgnoredCall::unclear);
    std::string actions;
    for (int i = 0; i < 101; ++i) actions += "Action: wait()\n";
    CHECK(check_none(actions) == IgnoredCall::unclear);
}

TEST_CASE("if the output limit cut off the text, only complete calls count") {
    const auto cut = [](const std::string& text) {
        CAPTURE(text);
        const Rescue rescue = rescue_calls(text, offered, Ending::cut_off);
        CHECK(rescue.calls.empty());
        return rescue.cut_call;
    };
    CHECK(cut(R"(<tool_call>{"name":"click","arguments":{"x":1)"));
    CHECK(cut(R"(<tool_call>{"name":"click","arguments":{"x":1})"));
    CHECK(cut("<tool_call>\n"));
    CHECK(cut(R"([TOOL_REQUEST]{"na)"));
    CHECK(cut("<tool_call><function=wait>"));
    CHECK(cut("<tool_call><function=click><parameter=x>1"));
    CHECK(cut("Action: type(content='hel"));
    CHECK(!cut(R"({"name":"click","arguments":{"x":1)"));
    CHECK(!cut("```json\n{\"name\":\"click\",\"arguments\":{\"x\":1}}"));
    CHECK(!cut("```\n<tool_call>{\"na"));
    CHECK(!cut("I now open the"));
    CHECK(!cut("The tag <tool_call> begins"));
    CHECK(!cut("Action: think(content='hel"));
    CHECK(rescue_calls("<tool_call>" + click, offered, Ending::cut_off).calls.size() == 1);
    CHECK(rescue_calls(click, offered, Ending::cut_off).calls.size() == 1);
}

TEST_CASE("a very long text is not searched") {
    check_none("<tool_call>" + click + std::string(300000, ' '));
}

TEST_CASE("a text that is not UTF-8 is not searched: its arguments could not be JSON") {
    check_none("Action: type(content='\xFF')");
    check_none("<tool_call><function=type><parameter=text>\xFF</parameter></function>");
    check_none("<tool_call>" + call("type", "{\"text\":\"\xFF\"}") + "</tool_call>");
}
