#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

// The descendants of the launcher. As their subreaper it inherits every orphan, whatever session
// or group it went to, so the tree is whole: when the launcher has no child, it has no descendant.
namespace launcher {

struct ProcessStatus {
  char state = '?';
  pid_t parent = 0;
  uint64_t children_minor_faults = 0;  // of the children it waited for
  uint64_t threads = 0;
};

// Fields of /proc/PID/stat; nothing once it is reaped.
std::optional<ProcessStatus> read_status(pid_t pid);

// Every descendant, parents before their children, those that wait to be reaped among them.
std::vector<pid_t> descendants(pid_t root);

// Those of them that still run something.
std::vector<pid_t> running(const std::vector<pid_t>& processes);

// Sends SIGSTOP to all descendants until no new one appears, then SIGKILL. A process that forks
// during the walk can get away from one call, so call it, and reap, until no child is left.
void kill_descendants(pid_t root);

}  // namespace launcher
