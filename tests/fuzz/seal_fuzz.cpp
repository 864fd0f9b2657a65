// Any seal.json gives a result of the verification, which names only files of the run.
#include "eyehand/agent/run_store.hpp"
#include "eyehand/session/verify.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    agent::MemoryStore run;
    run.create(agent::journal_name,
               "{\"seq\":1,\"t\":0,\"type\":\"stopped\",\"turn\":0,\"why\":\"\"}\n");
    run.create("main.log", "a line\n");
    run.create("seal.json", std::string(reinterpret_cast<const char*>(data), size));
    for (const char* key : {"", "a key of sixteen bytes"}) {
        const session::Verification result = session::verify_run(run, key);
        if (session::to_text(result).empty()) std::abort();
        // The journal has no chain, and nothing has the key.
        if (*key != '\0' && result.assurance == session::Assurance::key) std::abort();
    }
    return 0;
}
