// When a front end asks the user of a run.
#include "eyehand/session/user_questions.hpp"

#include "eyehand/agent/run_port.hpp"
#include "eyehand/base/stoppable_wait.hpp"

#include "catch.hpp"
#include "latch.hpp"

#include <chrono>
#include <future>
#include <string>

using namespace eyehand;
using namespace eyehand::agent;
using namespace eyehand::session;

namespace {

std::future<Approval> ask_in_run(const RunControl& control, const std::string& tool) {
    return std::async(std::launch::async,
                      [=] { return RunPort(control).request_approval({.tool = tool}); });
}

void wait_until_withdrawn(const std::stop_token& withdrawn) {
    (void)base::wait_for(std::chrono::milliseconds::max(), withdrawn);
}

} // namespace

TEST_CASE("questions of a run are asked in their order, also one from before") {
    RunControl control;
    test::Latch open(1);
    const auto listener = control.on_change([&] { open.count_down(); });
    auto first = ask_in_run(control, "first");
    open.wait();
    std::string asked;
    {
        const UserQuestions questions(
            control, {.approve = [&](const ApprovalRequest& request, const std::stop_token&) {
                asked += request.tool + " ";
                control.resolve(request.id, {.granted = request.tool == "first"});
            }});
        CHECK(first.get().granted);
        CHECK_FALSE(ask_in_run(control, "second").get().granted);
    }
    CHECK(asked == "first second ");
}

TEST_CASE("a question that is answered elsewhere is withdrawn") {
    RunControl control;
    test::Latch asked(1);
    test::Latch withdrawn(1);
    const UserQuestions questions(
        control, {.approve = [&](const ApprovalRequest&, const std::stop_token& stop) {
            asked.count_down();
            wait_until_withdrawn(stop);
            withdrawn.count_down();
        }});
    auto answer = ask_in_run(control, "click");
    asked.wait();
    control.resolve(control.status().approval_requests.at(0).id, {.granted = true});
    CHECK(answer.get().granted);
    withdrawn.wait();
}

TEST_CASE("the end of the questions withdraws the one that is being asked") {
    RunControl control;
    test::Latch asked(1);
    auto answer = ask_in_run(control, "click");
    {
        const UserQuestions questions(
            control, {.approve = [&](const ApprovalRequest&, const std::stop_token& stop) {
                asked.count_down();
                wait_until_withdrawn(stop);
            }});
        asked.wait();
    }
    control.stop();
    CHECK_FALSE(answer.get().granted);
}
