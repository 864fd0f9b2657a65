#include "visual_reply.hpp"

#include "json_text.hpp"

#include <boost/json.hpp>
#include <string_view>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

// Replies that are not in the list of actions.
constexpr std::string_view look = "observe";
constexpr std::string_view done = "finish";

// The usual actions, in the form of a schema.
constexpr std::string_view usual_actions = R"([
    {"properties": {"name": {"enum": ["move", "click", "right_click", "double_click"]},
                    "x1": {}, "y1": {}}, "required": ["x1", "y1"]},
    {"properties": {"name": {"enum": ["drag"]}, "x1": {}, "y1": {}, "x2": {}, "y2": {}},
     "required": ["x1", "y1", "x2", "y2"]},
    {"properties": {"name": {"enum": ["type"]}, "text": {}}, "required": ["text"]},
    {"properties": {"name": {"enum": ["press"]}, "key": {}}, "required": ["key"]},
    {"properties": {"name": {"enum": ["scroll"]}, "x1": {}, "y1": {},
                    "direction": {"enum": ["up", "down"]}, "amount": {}},
     "required": ["x1", "y1", "direction"]}])";

const json::value* find(const json::object& object, std::string_view pointer) {
    const json::value* value = object.if_contains(pointer.substr(0, pointer.find('/')));
    const std::size_t slash = pointer.find('/');
    if (slash == std::string_view::npos || value == nullptr) return value;
    return value->is_object() ? find(value->get_object(), pointer.substr(slash + 1)) : nullptr;
}

json::array array_at(const json::object& object, std::string_view pointer) {
    const json::value* value = find(object, pointer);
    return value != nullptr && value->is_array() ? value->get_array() : json::array();
}

json::value tool(std::string_view name, json::object parameters) {
    return json::object{
        {"type", "function"},
        {"function", json::object{{"name", name}, {"parameters", std::move(parameters)}}}};
}

// Adds one tool for each name of the action.
void add_tools(const json::object& action, json::array& tools) {
    json::object parameters = action;
    if (json::value* properties = parameters.if_contains("properties");
        properties != nullptr && properties->is_object())
        properties->get_object().stable_erase("name");
    parameters["required"] = json::array();
    for (const json::value& argument : array_at(action, "required"))
        if (argument != "name") parameters["required"].get_array().push_back(argument);
    for (const json::value& name : array_at(action, "properties/name/enum"))
        if (name.is_string()) tools.push_back(tool(name.get_string(), parameters));
}

bool mentions(const ChatRequest& request, std::string_view word) {
    return request.text.find("\"" + std::string(word) + "\"") != std::string::npos;
}

json::array actions_named_in(const ChatRequest& request) {
    json::array named = json::parse(usual_actions).get_array();
    for (auto action = named.begin(); action != named.end();) {
        const json::value name = array_at(action->get_object(), "properties/name/enum").front();
        action = mentions(request, name.get_string()) ? action + 1 : named.erase(action);
    }
    return named;
}

} // namespace

bool wants_visual_reply(const ChatRequest& request) {
    if (!request.tools.empty()) return false;
    if (!request.reply_schema.empty())
        return find(request.reply_schema, "properties/actions") != nullptr;
    return mentions(request, "observation") && mentions(request, "actions");
}

json::array visual_actions(const ChatRequest& request) {
    const json::array actions =
        request.reply_schema.empty()
            ? actions_named_in(request)
            : array_at(request.reply_schema, "properties/actions/items/anyOf");
    json::array tools{tool(look, {}), tool(done, {})};
    for (const json::value& action : actions)
        if (action.is_object()) add_tools(action.get_object(), tools);
    return tools;
}

std::string told_failure(const ChatRequest& request) {
    constexpr std::string_view mark = "\nProblems with your last reply:\n";
    const std::size_t at = request.text.rfind(mark);
    return at == std::string::npos ? "" : request.text.substr(at + mark.size());
}

std::string visual_reply(const Reply& reply) {
    json::array actions;
    if (reply.call && reply.call->name != look && reply.call->name != done) {
        json::object action{{"name", reply.call->name}};
        for (const auto& argument : reply.call->arguments) action.insert(argument);
        actions.push_back(std::move(action));
    }
    return json_text(json::object{{"observation", reply.content},
                                  {"bboxes", json::array()},
                                  {"actions", std::move(actions)},
                                  {"done", reply.call && reply.call->name == done}});
}

} // namespace stand_in
