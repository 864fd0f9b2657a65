// Stops a run of another process, through a file in its run directory, which only the current user
// can write.
//
//     session::request_stop(agent::RunDirectory::open("runs/run_0007"), // in one process
//                           session::StopRequest::at_safe_point);
//
//     const session::StopRequestWatch watch(directory, [&](session::StopRequest) { // in the other one
//         control.stop("stopped by another program");
//     });
//     agent.run(task, directory, control);
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/export.hpp"

#include <functional>
#include <memory>

namespace eyehand::session {

enum class StopRequest {
    at_safe_point, ///< as `RunControl::stop`
    at_once,       ///< as `RunControl::stop_now`
    end_program,   ///< the run does not end: end the process
};

/// Returns at once; a later request replaces one that has not been received.
/// `RunDirectory::journal_is_locked` shows whether the run has ended. Throws
/// agent::Error{journal_failed} if the directory cannot be written.
EYEHAND_SESSION_API void request_stop(agent::RunDirectory directory, StopRequest request);

/// While it exists, calls `on_request` within 200 ms after each request, on a thread of its own, which
/// neither the model nor the screen can block. Its exceptions are ignored. Requests from before its
/// construction are ignored. Only one object may exist per run directory.
class EYEHAND_SESSION_API StopRequestWatch {
public:
    StopRequestWatch(const agent::RunDirectory& directory,
                     std::function<void(StopRequest)> on_request);
    ~StopRequestWatch();
    StopRequestWatch(const StopRequestWatch&) = delete;
    StopRequestWatch& operator=(const StopRequestWatch&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::session
