// Each CASE_... is an argument whose type is not supported. CMakeLists.txt expects a message of the compiler for each;
// without a case, this file compiles.
#include <eyehand/agent/tool.hpp>

#include <map>
#include <string>
#include <vector>

using namespace eyehand;

namespace {

struct Undescribed {
    int value = 0;
};
enum class UndescribedEnum { first, second };

struct Node {
    std::string name;
    std::vector<Node> children;
};
BOOST_DESCRIBE_STRUCT(Node, (), (name, children))

struct Args {
#if defined(CASE_undescribed_struct)
    Undescribed value;
#elif defined(CASE_undescribed_enum)
    UndescribedEnum value{};
#elif defined(CASE_character)
    char value = 'a';
#elif defined(CASE_key_of_a_map)
    std::map<int, int> value;
#elif defined(CASE_element_of_a_vector)
    std::vector<Undescribed> value;
#elif defined(CASE_struct_that_contains_itself)
    Node value;
#else
    int value = 0;
#endif
};

} // namespace

void add_tool(agent::Toolbox& tools);
void add_tool(agent::Toolbox& tools) {
    tools.add<Args>("tool", "A tool.", {agent::arg("value", &Args::value, "a value")},
                    [](const Args&, agent::ToolContext&) { return agent::ok(); });
}
