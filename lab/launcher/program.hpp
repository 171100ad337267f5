#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "options.hpp"
#include "processor_time.hpp"

namespace launcher {

// The reason why a program could not be started: the failed action, and the system's message with
// its errno.
struct StartError {
  std::string text;
};

StartError start_error(const std::string& tried, int error);

// The descriptors 0, 1 and 2 of the program.
class ProgramStreams {
 public:
  // Opens the files that the options name. Relative paths start at the launcher's folder.
  std::optional<StartError> open(const Options& options);
  // The descriptor for a stream; -1: the launcher's own.
  int number(int stream) const;
  // Closes the launcher's copies, which would keep an end of file from reaching the program.
  void close();

 private:
  Descriptor streams_[3];
  bool errors_to_output_ = false;
};

struct StartedProgram {
  pid_t pid = 0;
  int64_t monotonic_ns = 0;  // just before exec
  int64_t realtime_ns = 0;
  uint64_t waited_ns = 0;  // time in the run queue before exec
  int64_t user_ns = 0;     // CPU time before exec, which the kernel does not reset at exec
  int64_t system_ns = 0;
  ProcessorTime::Reading processors;  // just before exec
  std::optional<StartError> error;
};

// A cgroup that the program joins.
struct Membership {
  int descriptor;  // of cgroup.procs
  bool required;   // the program is not started if it cannot join
};

// Starts the program in its own session, with default signals and only the descriptors 0 to 2.
// Sets its processors, its user and its cgroups. Returns after exec has succeeded or failed. If it
// failed, the child has been reaped. A relative program path with a slash starts at --directory.
StartedProgram start_program(const Options& options, const ProgramStreams& streams,
                             const std::vector<Membership>& memberships,
                             const ProcessorTime& processor_time);

}  // namespace launcher
