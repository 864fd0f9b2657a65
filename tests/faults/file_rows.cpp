// Files of the run that cannot be written, are removed, or are lost with the power.
#include "scene.hpp"

#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/session/verify.hpp"

#include "catch.hpp"
#include "eventually.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace fault_tests {
namespace {

namespace fs = std::filesystem;
using namespace eyehand;

/// From now on, files cannot become larger than this one and a part of an entry, as on a full disk.
void fill_disk(const Scene& scene, const std::string& name) {
    const rlim_t bytes = fs::file_size(scene.run() / name) + 40;
    const rlimit limit{bytes, bytes};
    REQUIRE(prlimit(scene.program->id(), RLIMIT_FSIZE, &limit, nullptr) == 0);
}

/// Root may write everywhere, and the tests of CI run as root.
void obey_permissions(Scene& scene) {
    if (geteuid() != 0) return;
    scene.prefix = {"setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"};
}

void make_read_only(Scene& scene, const fs::path& folder) {
    constexpr auto write =
        fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    scene.repair = [folder] { fs::permissions(folder, write, fs::perm_options::add); };
    fs::permissions(folder, write, fs::perm_options::remove);
}

/// Names of one file: 10,000 folders take half a minute on some disks.
void add_files(const Scene& scene, int count) {
    const fs::path file = scene.folder / "faults/file";
    std::ofstream(file) << "x";
    for (int i = 1; i <= count; ++i)
        fs::create_hard_link(file, scene.runs() / ("run_" + std::to_string(i)));
}

// ---- loss of power ------------------------------------------------------------------------------

/// The size that a file or folder of the run had when it was last written to the disk; 0: never.
std::uintmax_t synced_size(const Scene& scene, const fs::path& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    const auto sizes = scene.synced();
    const auto found = sizes.find(status.st_ino);
    return found == sizes.end() ? 0 : found->second;
}

std::vector<fs::path> files_of(const Scene& scene) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scene.run()))
        if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
}

/// Ends the run without its knowledge.
void cut_power(Scene& scene) {
    scene.program->send(SIGKILL);
    (void)scene.program->wait();
}

/// All writes that were not yet on the disk are lost.
void lose_unsynced_writes(Scene& scene) {
    cut_power(scene);
    CHECK(synced_size(scene, scene.run()) > 0); // otherwise, the names in it are lost, too
    for (const fs::path& file : files_of(scene))
        if (const std::uintmax_t size = synced_size(scene, file))
            fs::resize_file(file, size);
        else
            fs::remove(file);
}

/// A part of the unsynced entries of the journal is lost, and no other file.
void lose_end_of_journal(Scene& scene) {
    cut_power(scene);
    const fs::path journal = scene.run() / "events.jsonl";
    const std::uintmax_t synced = synced_size(scene, journal);
    REQUIRE(synced > 0);
    const std::string all = test::read_file(journal);
    REQUIRE(all.size() > synced);
    const agent::RunDirectory run = agent::RunDirectory::open(scene.run());
    // Each byte of the last entry, and some of the others.
    const std::size_t last = all.rfind('\n', all.size() - 2) + 1;
    for (std::uintmax_t size = all.size(); size > synced; size -= size > last ? 1 : 13) {
        fs::resize_file(journal, size);
        const session::Verification found = session::verify_run(run);
        INFO("the first " << size << " bytes of " << all.size());
        REQUIRE(found.problems.empty());
        const auto complete = static_cast<std::size_t>(
            std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
        REQUIRE(found.lines >= complete);
    }
}

} // namespace

std::vector<Row> file_rows() {
    const Answer acts = calls("press_key", R"({"key":"a"})");
    return {
        {.name = "files: the disk is full before an entry of the log",
         .answers = {looks(), is_done()},
         .fault = [](Scene& scene) { fill_disk(scene, "execution_log.txt"); },
         .exit_code = 1,
         .message = "execution_log.txt cannot be written: is the disk full?",
         .outcome = "failed"},
        {.name = "files: the disk is full before an entry of the journal",
         .answers = {looks(), is_done()},
         .fault = [](Scene& scene) { fill_disk(scene, "events.jsonl"); },
         .exit_code = 1,
         .message = "events.jsonl cannot be written: is the disk full?"},
        {.name = "files: the folder of runs is read-only",
         .before =
             [](Scene& scene) {
                 obey_permissions(scene);
                 make_read_only(scene, scene.runs());
             },
         .exit_code = 2,
         .message = "choose another folder with --run-dir",
         .kept = Kept::nothing},
        {.name = "files: the run directory becomes read-only",
         .answers = {looks(), is_done()},
         .before = obey_permissions,
         .fault = [](Scene& scene) { make_read_only(scene, scene.run() / "screenshots"); },
         .exit_code = 1,
         .message = "turn_0002.png cannot be written",
         .outcome = "failed"},
        {.name = "files: the run directory is removed",
         .answers = {looks(), is_done()},
         .fault = [](Scene& scene) { fs::remove_all(scene.run()); },
         .exit_code = 1,
         .message = "cannot be written",
         .kept = Kept::nothing},
        {.name = "files: 10,000 files in the folder of runs",
         .answers = {looks(), is_done()},
         .before =
             [](Scene& scene) {
                 add_files(scene, 10000);
                 scene.run_name = "run_10001";
             },
         .message = "run_10001",
         .outcome = "completed"},
        {.name = "files: the power fails, and all writes that were not on the disk are lost",
         .answers = {acts, never()},
         .before =
             [](Scene& scene) {
                 scene.load_library_faults();
                 scene.open_window();
             },
         .fault = lose_unsynced_writes,
         .at_request = 2,
         .exit_code = 128 + SIGKILL,
         .kept = Kept::incomplete},
        {.name = "files: the power fails, and the end of the journal is lost",
         .answers = {acts, looks(), never()},
         .before =
             [](Scene& scene) {
                 scene.load_library_faults();
                 scene.open_window();
             },
         .fault = lose_end_of_journal,
         .at_request = 3,
         .exit_code = 128 + SIGKILL},
    };
}

} // namespace fault_tests
