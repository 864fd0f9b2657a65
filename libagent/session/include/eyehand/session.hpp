// All public headers of eyehand::session.
#pragma once

#include "eyehand/session/calibration.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/session/scenario.hpp"
#include "eyehand/session/script.hpp"
#include "eyehand/session/server_facts.hpp"
#include "eyehand/session/stop_request.hpp"
#include "eyehand/session/user_questions.hpp"
#include "eyehand/session/verify.hpp"
