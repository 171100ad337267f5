#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

// The descendants of the launcher. The launcher is their subreaper, so it inherits every orphan,
// whatever session or group the orphan has joined. The tree is therefore complete: if the launcher
// has no child, it has no descendant.
namespace launcher {

struct ProcessStatus {
  char state = '?';
  pid_t parent = 0;
  uint64_t children_minor_faults = 0;  // of its children that it has reaped
  uint64_t threads = 0;
};

// Fields of /proc/PID/stat; nothing if the process has been reaped.
std::optional<ProcessStatus> read_status(pid_t pid);

// All descendants, with parents before their children. They include processes that wait to be
// reaped.
std::vector<pid_t> descendants(pid_t root);

// The descendants that still have a running thread.
std::vector<pid_t> running(const std::vector<pid_t>& processes);

// Sends SIGSTOP to all descendants until no new one appears, and then SIGKILL. A process that
// forks during the walk can escape a single call. Repeat the call, and reap, until no child is
// left.
void kill_descendants(pid_t root);

}  // namespace launcher
