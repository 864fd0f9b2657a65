// The fault matrix: each row breaks one thing at a real seam while agent-cli runs, and the same must be true
// after each of them (scene.cpp): nothing is held, no temporary file is left, the run can be read and verified,
// and exit code and message are right. One row: tests/x11/run fault-tests "[PART]" -c "NAME OF THE ROW".
#include "scene.hpp"

#include "catch.hpp"

using namespace fault_tests;

namespace {

void carry_out_all(const std::vector<Row>& rows) {
    for (const Row& row : rows) DYNAMIC_SECTION(row.name) {
            carry_out(row);
        }
}

} // namespace

// A tag for each part, so that CTest can run them in parallel.
TEST_CASE("faults of the model's server", "[endpoint]") { carry_out_all(endpoint_rows()); }
TEST_CASE("faults of the desktop", "[desktop]") { carry_out_all(desktop_rows()); }
TEST_CASE("faults of files", "[files]") { carry_out_all(file_rows()); }
TEST_CASE("signals, and memory that runs out", "[process]") { carry_out_all(process_rows()); }
TEST_CASE("jumps of the clock", "[clock]") { carry_out_all(clock_rows()); }
