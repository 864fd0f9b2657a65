// Makes a run and its report, for the tests in Chromium (tests/panel).
//   eyehand-report-run hostile|team|story|watched|photos FOLDER
// Prints the report's path.
#include "eyehand/session/report.hpp"

#include "runs.hpp"

#include <cstdio>
#include <exception>

using namespace eyehand;

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string kind = argv[1];
    try {
        const std::filesystem::path run = kind == "hostile"   ? test::hostile_run(argv[2])
                                          : kind == "team"    ? test::team_run(argv[2])
                                          : kind == "story"   ? test::story_run(argv[2])
                                          : kind == "watched" ? test::watched_run(argv[2])
                                                              : test::photo_run(argv[2], 50);
        std::printf("%s\n", session::write_report(run).string().c_str());
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
