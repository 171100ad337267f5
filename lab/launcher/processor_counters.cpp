#include "processor_counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace launcher {
namespace {

Descriptor open_event(CountedEvent event, bool user_only) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  // The launcher itself is never counted: a child inherits the event, which is enabled at its
  // exec.
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = user_only;
  attributes.exclude_hv = user_only;
  constexpr pid_t kThisThread = 0;
  constexpr int kAnyProcessor = -1;
  constexpr int kNoGroup = -1;
  return Descriptor(static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread,
                                             kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC)));
}

std::optional<CounterReading> read_event(const Descriptor& event) {
  CounterReading reading;
  static_assert(sizeof reading == 3 * sizeof(uint64_t), "the kernel's layout");
  if (!event.valid() || ::read(event.number(), &reading, sizeof reading) != sizeof reading)
    return std::nullopt;
  return reading;
}

}  // namespace

ProcessorCounters::ProcessorCounters(const std::optional<CountedEvents>& events) {
  if (!events || open(*events)) return;
  if (errno != EACCES && errno != EPERM) return;
  user_only_ = true;
  open(*events);
}

bool ProcessorCounters::open(const CountedEvents& events) {
  cycles_ = open_event(events.cycles, user_only_);
  if (cycles_.valid()) instructions_ = open_event(events.instructions, user_only_);
  return cycles_.valid() && instructions_.valid();
}

std::optional<ProcessorCounts> ProcessorCounters::read() const {
  auto cycles = read_event(cycles_);
  auto instructions = read_event(instructions_);
  if (!cycles || !instructions) return std::nullopt;
  return ProcessorCounts{*cycles, *instructions, user_only_};
}

}  // namespace launcher
