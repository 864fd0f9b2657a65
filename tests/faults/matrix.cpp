// The fault matrix: each row breaks one thing at a real seam while agent-cli runs, and the same must be true
// after each of them (scene.cpp): nothing is held, no temporary file is left, the run can be read and verified,
// and exit code and message are right. One row: fault-tests -c "NAME".
#include "scene.hpp"

#include "catch.hpp"

using namespace fault_tests;

TEST_CASE("after each fault, nothing is held, no temporary file is left and the run can be read") {
    for (const auto& rows :
         {endpoint_rows(), desktop_rows(), file_rows(), process_rows(), clock_rows()})
        for (const Row& row : rows) DYNAMIC_SECTION(row.name) {
                carry_out(row);
            }
}
