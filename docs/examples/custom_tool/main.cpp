// Runs an agent that can look up the program's own orders: a typed tool.
//   custom_tool ENDPOINT RUNS_FOLDER TASK
#include <eyehand/agent.hpp>

#include <iostream>
#include <map>

using namespace eyehand;

enum class Currency { eur, usd };
BOOST_DESCRIBE_ENUM(Currency, eur, usd)

/// The arguments of the tool, which the library reads from the model's JSON and checks.
struct LookUpOrder {
    int number = 0;
    std::optional<Currency> currency; ///< std::optional: the model may leave it out
};

struct Order {
    std::string customer;
    double euros = 0;
};

agent::Toolbox order_tools(const std::map<int, Order>& orders) {
    agent::Toolbox tools;
    tools.add<LookUpOrder>(
        "look_up_order", "Returns the customer and the total of an order.",
        {agent::arg("number", &LookUpOrder::number, "the order number", agent::range{1, 9999}),
         agent::arg("currency", &LookUpOrder::currency, "of the total; default: eur")},
        [&orders](const LookUpOrder& args, agent::ToolContext&) {
            const auto order = orders.find(args.number);
            if (order == orders.end())
                return agent::fail("unknown_order", "There is no such order. Check the number.");
            const double rate = args.currency == Currency::usd ? 1.25 : 1;
            return agent::ok()
                .with("customer", order->second.customer)
                .with("total", order->second.euros * rate);
        });
    return tools;
}

int main(int argc, char** argv) try {
    if (argc != 4) return 2;
    const std::map<int, Order> orders{{1001, {"Ada Lovelace", 80}}, {1002, {"Alan Turing", 42}}};

    const auto desktop = winio::open_desktop();
    vlm::OpenAiClient model({.endpoint = argv[1]});
    agent::Agent agent(*desktop, model, agent::load_profile("observer"), agent::built_in_tools(),
                       {.custom_tools = order_tools(orders)});
    agent::RunDirectory directory = agent::RunDirectory::create(argv[2]);
    agent::RunControl control;
    const agent::RunFinished result = agent.run(argv[3], directory, control);
    std::cout << agent::to_string(result.outcome) << ": " << result.reason << '\n';
    return result.outcome == agent::Outcome::completed ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
