#include "eyehand/agent/desktop_tools.hpp"

namespace eyehand::agent {
namespace {

struct BriefArgs {
    std::string instructions;
    std::string rationale;
};
struct ArchiveArgs {
    std::string summary;
    std::string patterns;
    std::vector<int> turns;
};
struct ReportArgs {
    std::string objective;
    std::string status;
    std::string evidence;
};
struct CompleteArgs {
    std::string evidence;
};
struct ConfirmArgs {
    bool confirmed = false;
    std::string reason;
};

} // namespace

Toolbox team_tools() {
    Toolbox tools;
    tools.add<BriefArgs>("brief", "Tells the acting role what to do next.",
                         {arg("instructions", &BriefArgs::instructions,
                              "what to do, and how to know that it is done"),
                          arg("rationale", &BriefArgs::rationale, "why this comes next")},
                         [](const BriefArgs& args, ToolContext&) {
                             return ok("The instructions were passed on.")
                                 .signal(Brief{args.instructions, args.rationale});
                         });
    tools.add<ArchiveArgs>(
        "archive", "Archives finished turns; only the summary stays in memory.",
        {arg("summary", &ArchiveArgs::summary, "what was done and found", not_empty),
         arg("patterns", &ArchiveArgs::patterns, "what kept recurring, such as failures"),
         arg("turns", &ArchiveArgs::turns, "the numbers of the turns")},
        [](const ArchiveArgs& args, ToolContext&) {
            return ok().signal(Archive{args.summary, args.patterns, args.turns});
        });
    tools.add<ReportArgs>(
        "report", "Reports the status of an objective.",
        {arg("objective", &ReportArgs::objective, "which objective", not_empty),
         arg("status", &ReportArgs::status, "DONE, BLOCKED or IN_PROGRESS", not_empty),
         arg("evidence", &ReportArgs::evidence, "what on the screen shows it")},
        [](const ReportArgs& args, ToolContext&) {
            return ok("Reported.").signal(Progress{args.objective, args.status, args.evidence});
        });
    tools.add<CompleteArgs>(
        "complete", "Reports that the whole task is done.",
        {arg("evidence", &CompleteArgs::evidence, "what on the screen shows it", not_empty)},
        [](const CompleteArgs& args, ToolContext&) {
            return ok("Reported.").signal(Completion{args.evidence});
        });
    tools.add<ConfirmArgs>("confirm", "Accepts or rejects the claim that the task is done.",
                           {arg("confirmed", &ConfirmArgs::confirmed, "true ends the run"),
                            arg("reason", &ConfirmArgs::reason, "why", not_empty)},
                           [](const ConfirmArgs& args, ToolContext&) {
                               return ok().signal(Verdict{args.confirmed, args.reason});
                           });
    tools.only_plans();
    return tools;
}

Toolbox built_in_tools() {
    Toolbox tools = desktop_tools();
    tools.add(team_tools());
    return tools;
}

} // namespace eyehand::agent
