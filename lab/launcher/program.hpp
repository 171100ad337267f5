#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "options.hpp"

namespace launcher {

// Why a program could not be started: what was tried, and the system's answer with its errno.
struct StartError {
  std::string text;
};

StartError start_error(const std::string& tried, int error);

// The descriptors 0, 1 and 2 of the program.
class ProgramStreams {
 public:
  // Opens what the options name. Relative paths start at the launcher's folder.
  std::optional<StartError> open(const Options& options);
  // -1: the launcher's own.
  int number(int stream) const;
  // The launcher's copies have to go, or an end of file would never reach the program.
  void close();

 private:
  Descriptor streams_[3];
  bool errors_to_output_ = false;
};

struct StartedProgram {
  pid_t pid = 0;
  int64_t monotonic_ns = 0;  // just before exec
  int64_t realtime_ns = 0;
  uint64_t waited_ns = 0;  // in the run queue until then: on the launcher's processors, not its own
  int64_t user_ns = 0;     // CPU time until then: the kernel counts it on across exec
  int64_t system_ns = 0;
  std::optional<StartError> error;
};

// Starts the program in a session of its own, with default signals, only descriptors 0 to 2, its
// processors, its user and its cgroups (`memberships`: descriptors of their cgroup.procs). Returns
// when exec has succeeded or failed; a child that failed is reaped. A relative program path that
// holds a slash starts at --directory.
StartedProgram start_program(const Options& options, const ProgramStreams& streams,
                             const std::vector<int>& memberships);

}  // namespace launcher
