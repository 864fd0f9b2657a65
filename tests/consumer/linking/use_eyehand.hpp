// Calls into Eyehand: a client and a server of chat completions, each with its own Asio, and an agent with a tool.
#pragma once

/// Runs every call; `runs` is a folder for run directories. Returns the number of failed checks.
int use_eyehand(const char* runs);
