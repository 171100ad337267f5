// The functions that the Python part of the adapter calls, with the GIL held (ctypes.PyDLL). They
// return an error message, or nullptr.

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "../core/measurement.hpp"
#include "../core/memory.hpp"
#include "../core/probe.hpp"
#include "../core/side_file.hpp"
#include "../core/termination.hpp"
#include "frame.hpp"
#include "table_search.hpp"

#define PROBES_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using probes::Mode;
using probes::Place;

constexpr int kMostTables = 16;

probes::Probe probe;
std::vector<probes::DispatchTable> tables;

// The plan that the audit hook carries out when the main program begins.
struct Plan {
  int table;
  Mode mode;
  uint64_t period;
  const char* error;
};
Plan plan;
bool planned;

// Runs at the end of the process, however the process ends.
void (*at_end)();
pid_t owner;

// The code objects of modules and of the main program are kept alive, and so are all code objects
// in them: a sample has only an address.
std::vector<void*> kept;

struct Python {
  void* (*item)(void* tuple, ssize_t index);
  void (*keep)(void* object);
  int (*add_hook)(int (*)(const char*, void*, void*), void*);
  void* (*interpreter)();
  void* (*main_interpreter)();
};
Python python;

bool look_up_python() {
  auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  python.item = reinterpret_cast<void* (*)(void*, ssize_t)>(find("PyTuple_GetItem"));
  python.keep = reinterpret_cast<void (*)(void*)>(find("Py_IncRef"));
  python.add_hook = reinterpret_cast<int (*)(int (*)(const char*, void*, void*), void*)>(
      find("PySys_AddAuditHook"));
  python.interpreter = reinterpret_cast<void* (*)()>(find("PyInterpreterState_Get"));
  python.main_interpreter = reinterpret_cast<void* (*)()>(find("PyInterpreterState_Main"));
  return python.item != nullptr && python.keep != nullptr && python.add_hook != nullptr &&
         python.interpreter != nullptr && python.main_interpreter != nullptr;
}

const char* folder;  // of the side files
bool forked;         // whether this process is the child of a fork

void begin_clock_in_child() {
  owner = getpid();
  forked = true;
  probes::announce(folder);
  probe.begin_clock();
}

const char* start(int table, Mode mode, uint64_t period) {
  if (table < 0 || table >= static_cast<int>(tables.size())) return "no such table";
  return probe.start(tables[static_cast<size_t>(table)], mode, period,
                     probes::cpython::sampled_instruction);
}

int on_audit(const char* event, void* arguments, void*) {
  if (strcmp(event, "exec") == 0) {
    // Code objects of other interpreters cannot be kept: their memory is freed with the
    // interpreter.
    if (python.interpreter() != python.main_interpreter()) return 0;
    if (void* code = python.item(arguments, 0)) {
      python.keep(code);
      kept.push_back(code);
    }
  } else if (planned && strncmp(event, "cpython.run_", 12) == 0) {
    planned = false;
    plan.error = start(plan.table, plan.mode, plan.period);
  }
  return 0;
}

}  // namespace

// Finds the tables that look like the interpreter's. Returns their number, and writes their
// addresses.
PROBES_EXPORT int probe_search(const uint8_t* named, uint64_t inside, uint64_t* addresses) {
  std::array<bool, probes::kOperations> has_name;
  for (size_t at = 0; at < has_name.size(); ++at) has_name[at] = named[at] != 0;
  tables = probes::cpython::search(has_name, inside);
  const auto count = std::min(tables.size(), size_t{kMostTables});
  for (size_t at = 0; at < count; ++at) addresses[at] = tables[at].address;
  return static_cast<int>(count);
}

PROBES_EXPORT const char* probe_start(int table, int mode, uint64_t period) {
  return start(table, static_cast<Mode>(mode), period);
}

// Starts just before the main program's first bytecode. `probe_stop` returns the errors.
PROBES_EXPORT const char* probe_start_at_main(int table, int mode, uint64_t period) {
  if (!look_up_python()) return "this CPython has no audit hooks";
  plan = {table, static_cast<Mode>(mode), period, "the main program did not begin"};
  planned = true;
  if (python.add_hook(on_audit, nullptr) != 0)
    return "an audit hook of this process refused the probe's hook";
  return nullptr;
}

PROBES_EXPORT const char* probe_stop() {
  if (!probe.running()) return plan.error != nullptr ? plan.error : "not attached";
  return probe.stop();
}

// Whether this process is probed already, or will be when its main program begins.
PROBES_EXPORT int probe_is_begun() { return probe.running() || planned ? 1 : 0; }

PROBES_EXPORT int probe_is_restored() { return probe.interposition().restored() ? 1 : 0; }

PROBES_EXPORT uint64_t probe_cpu_ns() { return probe.cpu_ns(); }

PROBES_EXPORT double probe_ticks_per_ns() { return probe.ticks_per_ns(); }

// The duration of a cycle of the processor: the mean in nanoseconds, and the variance of the mean.
PROBES_EXPORT void probe_cycle(double* numbers) {
  const probes::Calibration found = probe.cycle_ns();
  numbers[0] = found.mean;
  numbers[1] = found.variance;
}

// What the mode `latency` measures for an empty operation: the mean in nanoseconds, and the
// variance of the mean.
PROBES_EXPORT void probe_fences(double* numbers) {
  const probes::Calibration found = probe.fences_ns();
  numbers[0] = found.mean;
  numbers[1] = found.variance;
}

// The measurements of one operation: the number of executions, their sum, their sum of squares,
// the number of nested executions, and the number of interrupted executions.
PROBES_EXPORT void probe_moments(int operation, uint64_t* numbers) {
  const probes::Moments& moments = probes::moments_of(operation);
  const uint64_t found[] = {moments.count, moments.sum, moments.sum_of_squares, moments.nested,
                            moments.interrupted};
  std::copy(std::begin(found), std::end(found), numbers);
}

PROBES_EXPORT void probe_counts(uint64_t* counts) {
  const probes::Totals totals = probes::total_counts();
  std::copy(std::begin(totals.counts), std::end(totals.counts), counts);
}

// Writes kPairRows rows of kOperations counts, as in `Totals`. Returns 0 if no pairs were counted.
PROBES_EXPORT int probe_pairs(uint64_t* pairs) {
  const probes::Totals totals = probes::total_counts();
  std::copy(totals.pairs.begin(), totals.pairs.end(), pairs);
  return totals.pairs.empty() ? 0 : 1;
}

// Writes five numbers for each sample: code, offset, operation, innermost caller, count. Returns
// the number of samples, and writes only as many as `room` allows.
PROBES_EXPORT uint64_t probe_samples(uint64_t* numbers, uint64_t room) {
  const std::vector<probes::Sample> samples = probe.sampler().samples();
  for (size_t at = 0; at < std::min<size_t>(samples.size(), room); ++at) {
    const probes::Sample& sample = samples[at];
    *numbers++ = sample.place.code;
    *numbers++ = sample.place.offset;
    *numbers++ = sample.place.operation;
    *numbers++ = sample.caller;
    *numbers++ = sample.count;
  }
  return samples.size();
}

// Writes two numbers for each call, in the order of `Sampler::calls`: its function and its own
// caller.
PROBES_EXPORT uint64_t probe_calls(uint64_t* numbers, uint64_t room) {
  const std::vector<probes::Call> calls = probe.sampler().calls();
  for (size_t at = 0; at < std::min<size_t>(calls.size(), room); ++at) {
    *numbers++ = calls[at].function;
    *numbers++ = calls[at].caller;
  }
  return calls.size();
}

// Writes two numbers for each instant, in the order of time: the index of the sample, and the
// time.
PROBES_EXPORT uint64_t probe_instants(uint64_t* numbers, uint64_t room) {
  const std::vector<probes::Instant> instants = probe.sampler().instants();
  for (size_t at = 0; at < std::min<size_t>(instants.size(), room); ++at) {
    *numbers++ = instants[at].sample;
    *numbers++ = instants[at].monotonic_ns;
  }
  return instants.size();
}

PROBES_EXPORT uint64_t probe_lost_samples() { return probe.sampler().lost(); }

PROBES_EXPORT uint64_t probe_sampling_cycles() { return probe.sampler().period_cycles(); }

PROBES_EXPORT const char* probe_sampled_by() { return probe.sampler().source(); }

PROBES_EXPORT void probe_use_layout(const probes::cpython::Layout* layout) {
  probes::cpython::use_layout(*layout);
}

// Whether an address can be read without a fault.
PROBES_EXPORT int probe_can_read_memory() {
  const uint64_t written = 42;
  uint64_t read = 0;
  const auto address = reinterpret_cast<uintptr_t>(&written);
  return probes::read_memory(address, &read, sizeof read) && read == written ? 1 : 0;
}

// Writes the code, offset and operation of the caller's current instruction.
PROBES_EXPORT void probe_here(uint64_t* numbers) {
  const Place place = probes::cpython::current_instruction();
  numbers[0] = place.code;
  numbers[1] = place.offset;
  numbers[2] = place.operation;
}

// Writes the callers of the caller's function, the innermost first. Returns their number.
PROBES_EXPORT int probe_callers_here(uint64_t* addresses, int room) {
  const probes::Callers callers = probes::cpython::current_callers();
  for (int at = 0; at < std::min(callers.count(), room); ++at) addresses[at] = callers[at];
  return callers.count();
}

PROBES_EXPORT uint64_t probe_kept_codes(uint64_t* addresses, uint64_t room) {
  for (size_t at = 0; at < std::min<size_t>(kept.size(), room); ++at)
    addresses[at] = reinterpret_cast<uintptr_t>(kept[at]);
  return kept.size();
}

// CPython's own handler of the signal must be installed. It must call `probe_heard`.
PROBES_EXPORT void probe_repeat_until_heard(int signal_number) {
  probes::repeat_until_heard(signal_number);
}
PROBES_EXPORT void probe_heard(int signal_number) { probes::heard(signal_number); }

PROBES_EXPORT void probe_at_end(void (*function)(), const char* side_files) {
  at_end = function;
  owner = getpid();
  folder = strdup(side_files);
  probes::announce(folder);
  static const int watching = pthread_atfork(nullptr, nullptr, begin_clock_in_child);
  static_cast<void>(watching);
}

PROBES_EXPORT void probe_withdraw() { probes::withdraw(); }

namespace {

// The definitions that follow this library's own: those of another preloaded library, or of the C
// library. They are found early, because the child of a fork must not wait for the loader's lock.
struct Following {
  int (*execve)(const char*, char* const*, char* const*);
  int (*execv)(const char*, char* const*);
  void (*exit)(int);
};
Following following;

__attribute__((constructor)) void find_following() {
  following.execve = reinterpret_cast<decltype(Following::execve)>(dlsym(RTLD_NEXT, "execve"));
  following.execv = reinterpret_cast<decltype(Following::execv)>(dlsym(RTLD_NEXT, "execv"));
  following.exit = reinterpret_cast<decltype(Following::exit)>(dlsym(RTLD_NEXT, "_exit"));
}

// Replaces the process by another program. The child of a fork that another program replaces only
// prepared that program, and is not missed.
template <typename Replace>
int replaced(Replace replace) {
  // The constructor of another library may have called.
  if (following.execve == nullptr) find_following();
  const bool prepares = forked && owner == getpid();
  if (prepares) probes::withdraw();
  const int status = replace();
  const int error = errno;
  if (prepares) {
    probes::withdraw();  // another library's `execv` may have called `execve`
    probes::announce(folder);
  }
  errno = error;
  return status;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int execve(const char* path, char* const* words,
                                                             char* const* variables) noexcept {
  return replaced([&] { return following.execve(path, words, variables); });
}

extern "C" __attribute__((visibility("default"))) int execv(const char* path,
                                                            char* const* words) noexcept {
  return replaced([&] { return following.execv(path, words); });
}

// Forked workers end by `os._exit`, which runs no exit handlers. The child of a vfork shares this
// memory but is another process, and writes no file.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  if (at_end != nullptr && owner == getpid()) at_end();
  if (following.exit == nullptr) find_following();
  following.exit(status);
  __builtin_unreachable();
}
