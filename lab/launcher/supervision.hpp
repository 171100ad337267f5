#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "control_group.hpp"
#include "descriptor.hpp"
#include "exit_watch.hpp"
#include "options.hpp"
#include "processor_time.hpp"
#include "program.hpp"
#include "report.hpp"
#include "tree_samples.hpp"

namespace launcher {

// The signals that the launcher handles as events. They are blocked from the constructor on.
// Construct this before the program starts, so that no signal is lost.
Descriptor receive_signals();

// Whether standard input is a lifeline: a pipe or a socket to the lab, which ends when the lab
// ends.
bool has_lifeline();

// Supervises the started program and all its descendants: waits, samples, enforces the limits, and
// ends and reaps the tree.
class Supervision {
 public:
  Supervision(const Options& options, const StartedProgram& program, const Descriptor& signals,
              const ControlGroup* memory_group, const ProcessorTime& processor_time);

  // Returns when the whole tree has ended. If even SIGKILL could not end some processes, the
  // outcome contains an error.
  void run();

  const Outcome& outcome() const { return outcome_; }
  int64_t ended_ns() const { return ended_ns_; }
  // Read when the last process of the tree ended.
  const ProcessorTime::Reading& processors() const { return processors_; }
  uint64_t peak_rss_bytes() const { return peak_rss_bytes_; }
  uint64_t left_behind() const { return left_behind_; }
  const TreeSamples& samples() const { return samples_; }

 private:
  enum class Ending { kNone, kOrderly, kAtOnce };

  int64_t next_event_ns() const;
  void wait_for_event(int64_t until_ns);
  void read_signals();
  void read_lifeline();
  void end(State state);
  void ask_to_end();
  void sample();
  bool memory_exceeded(const std::vector<pid_t>& members, std::optional<uint64_t> pss_bytes) const;
  bool reap();
  void let_descendants_finish();
  void end_descendants();

  const Options& options_;
  const StartedProgram& program_;
  const Descriptor& signals_;
  const ControlGroup* memory_group_;
  const ProcessorTime& processor_time_;
  ProcessorTime::Reading processors_;
  bool lifeline_;
  ExitWatch exit_watch_;
  TreeSamples samples_;
  Outcome outcome_;
  Ending ending_ = Ending::kNone;
  std::optional<State> forced_;
  bool program_ended_ = false;
  int64_t ended_ns_ = 0;
  int64_t grace_ends_ns_ = 0;
  int64_t next_sample_ns_ = 0;
  uint64_t peak_rss_bytes_ = 0;
  uint64_t left_behind_ = 0;
  uint64_t survivors_ = 0;
};

}  // namespace launcher
