#include "sampler.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "memory.hpp"

namespace probes {

namespace {

// The number of samples with stored instants: enough for 17 minutes of one thread's CPU time.
constexpr size_t kInstants = size_t{1} << 20;
constexpr size_t kInstantBytes = kInstants * sizeof(Instant);
// The signal's default action must be to ignore it: a sample may be pending when a process calls
// exec or resets its handlers, as Node's children do. Two pending signals are merged into one, so
// the queue cannot overflow.
constexpr int kSignal = SIGURG;
constexpr int kSlotBits = 17;
constexpr size_t kSlots = size_t{1} << kSlotBits;
constexpr size_t kSlotBytes = kSlots * sizeof(Sample);
// Beyond this number of slots, new samples have no callers: places are few, and paths may be many.
constexpr size_t kSlotsWithCallers = kSlots / 2;
constexpr int kPatience = 100'000;
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
// A program may close all descriptors below a limit; the probe's descriptor must survive this.
constexpr int kFirstDescriptor = 700;

Sample* slots;
size_t used;
CallTree call_tree;
Instant* instants_kept;
size_t instants_used;
Locate find_place;
std::atomic_flag busy = ATOMIC_FLAG_INIT;
std::atomic<uint64_t> lost_samples;
std::atomic<bool> task_clock_refused;
bool counts_cycles;
uint64_t event_period;                // in cycles or nanoseconds
constexpr uint64_t kCyclesPerNs = 3;  // about: it sets only how often samples are taken

bool same(const Place& left, const Place& right) {
  return left.code == right.code && left.offset == right.offset &&
         left.operation == right.operation;
}

// The slot of a place and its caller. nullptr if they have none, and `room` slots are used.
Sample* slot_of(const Place& place, uint32_t caller, size_t room) {
  uint64_t hash = (place.code >> 4) ^ (uint64_t{place.offset} << 20) ^ (uint64_t{caller} << 40) ^
                  place.operation;
  hash *= kGolden;  // Fibonacci hashing
  for (size_t at = hash >> (64 - kSlotBits);; at = (at + 1) % kSlots) {
    Sample& slot = slots[at];
    if (slot.count != 0 && slot.caller == caller && same(slot.place, place)) return &slot;
    if (slot.count != 0) continue;
    if (used >= room) return nullptr;
    ++used;
    slot.place = place;
    slot.caller = caller;
    return &slot;
  }
}

void keep_instant(uint32_t slot) {
  if (instants_kept == nullptr || instants_used == kInstants) return;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto seconds = static_cast<uint64_t>(now.tv_sec);
  instants_kept[instants_used++] = {slot,
                                    seconds * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec)};
}

void keep(const Place& place, const Callers& callers) {
  // Handlers of several threads share the table. Each locks it for some microseconds.
  int patience = kPatience;
  while (busy.test_and_set(std::memory_order_acquire)) {
    if (--patience == 0) {
      ++lost_samples;
      return;
    }
  }
  Sample* slot = slot_of(place, call_tree.index_of(callers), kSlotsWithCallers);
  if (slot == nullptr) slot = slot_of(place, CallTree::kTruncated, kSlots - 1);
  if (slot != nullptr) {
    ++slot->count;
    keep_instant(static_cast<uint32_t>(slot - slots));
  } else {
    ++lost_samples;
  }
  busy.clear(std::memory_order_release);
}

perf_event_attr event_of(uint32_t type, uint64_t config, uint64_t period) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.sample_period = period;
  attributes.wakeup_events = 1;
  attributes.disabled = 1;
  return attributes;
}

// A counter that shares its hardware with other counters would miss cycles, so it is pinned.
perf_event_attr cycles_event(uint64_t period) {
  perf_event_attr attributes = event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, period);
  attributes.pinned = 1;
  return attributes;
}

int open_event(perf_event_attr attributes, pid_t tid) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

bool has_cycle_counter() {
  const int opened = open_event(cycles_event(1'000'000'000), 0);
  if (opened >= 0) close(opened);
  return opened >= 0;
}

void arm(const ThreadState& state) { ioctl(state.sampling_descriptor, PERF_EVENT_IOC_REFRESH, 1); }

void arm_again(ThreadState& state) {
  if (state.in_first_period) ioctl(state.sampling_descriptor, PERF_EVENT_IOC_PERIOD, &event_period);
  state.in_first_period = false;
  arm(state);
}

// A random part of the period. Without it, a thread that is shorter than the period would never be
// sampled. With it, the expected number of samples is the CPU time divided by the period.
uint64_t first_period(const ThreadState& state, uint64_t period) {
  const uint64_t mixed = (__rdtsc() ^ (static_cast<uint64_t>(state.tid) << 32)) * kGolden;
  return 1 + (mixed >> 24) % period;
}

void on_signal(int, siginfo_t*, void* context) {
  const int error = errno;
  ThreadState& state = thread_state;
  if (state.sampled) {
    const auto* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    auto value = [&](int name) { return static_cast<uint64_t>(registers[name]); };
    Callers callers;
    const Place place = find_place(
        state, {value(REG_RIP), value(REG_RSP), value(REG_RBP), value(REG_R13)}, callers);
    keep(place, callers);
    if (state.sampling_descriptor >= 0) arm_again(state);
  }
  errno = error;
}

bool is_ours(const ThreadState& state) {
  uint64_t identity = 0;
  return ioctl(state.sampling_descriptor, PERF_EVENT_IOC_ID, &identity) == 0 &&
         identity == state.sampling_identity;
}

bool new_slots(bool with_instants) {
  auto* made = static_cast<Sample*>(new_pages(kSlotBytes));
  if (made == nullptr || !call_tree.renew()) {
    free_pages(made, kSlotBytes);
    return false;
  }
  free_pages(slots, kSlotBytes);
  free_pages(instants_kept, kInstantBytes);
  slots = made;
  instants_kept = with_instants ? static_cast<Instant*>(new_pages(kInstantBytes)) : nullptr;
  used = 0;
  instants_used = 0;
  lost_samples = 0;
  return true;
}

}  // namespace

const char* Sampler::start(uint64_t period_ns, Locate locate, bool profile) {
  struct sigaction now;
  if (sigaction(kSignal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
    return "the program uses the signal (SIGURG) that the sampler needs";
  if (!new_slots(profile)) return "no memory for samples";
  period_ns_ = period_ns;
  counts_cycles = has_cycle_counter();
  event_period = counts_cycles ? period_cycles() : period_ns_;
  find_place = locate;
  busy.clear(std::memory_order_release);
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(kSignal, &ours, &before_);
  observe_threads(this, profile);
  return nullptr;
}

void Sampler::stop() {
  ignore_threads();
  sigaction(kSignal, &before_, nullptr);
  // A handler of another thread may still be running. The lock is kept until the next start, so
  // that no handler changes the table while it is read.
  for (int patience = kPatience; busy.test_and_set(std::memory_order_acquire); sched_yield())
    if (--patience == 0) return;
}

const char* Sampler::source() const {
  if (counts_cycles) return "processor cycles";
  return task_clock_refused ? "CPU timer" : "task clock";
}

uint64_t Sampler::period_cycles() const { return counts_cycles ? kCyclesPerNs * period_ns_ : 0; }

std::vector<Sample> Sampler::samples() const {
  std::vector<Sample> found;
  for (size_t at = 0; at < kSlots && slots != nullptr; ++at)
    if (slots[at].count != 0) found.push_back(slots[at]);
  return found;
}

std::vector<Call> Sampler::calls() const { return call_tree.calls(); }

std::vector<Instant> Sampler::instants() const {
  std::vector<Instant> found;
  if (instants_kept == nullptr) return found;
  std::vector<uint32_t> places(kSlots);
  uint32_t next = 0;
  for (size_t at = 0; at < kSlots; ++at)
    if (slots[at].count != 0) places[at] = next++;
  for (size_t at = 0; at < instants_used; ++at)
    found.push_back({places[instants_kept[at].sample], instants_kept[at].monotonic_ns});
  return found;
}

uint64_t Sampler::lost() const { return lost_samples; }

void Sampler::thread_begins(ThreadState& state) {
  // A timer among counters of cycles would change the meaning of a sample.
  state.sampled = begin_event(state) || (!counts_cycles && begin_timer(state));
  if (!state.sampled) ++lost_samples;
}

void Sampler::thread_ends(ThreadState& state) {
  if (!state.sampled) return;
  state.sampled = false;
  if (state.sampling_timer != nullptr) timer_delete(state.sampling_timer);
  state.sampling_timer = nullptr;
  // The program may have closed the descriptor, and its number may now belong to a file of the
  // program.
  if (state.sampling_descriptor >= 0 && is_ours(state)) {
    ioctl(state.sampling_descriptor, PERF_EVENT_IOC_DISABLE, 0);
    close(state.sampling_descriptor);
  } else if (state.sampling_descriptor >= 0) {
    ++lost_samples;
  }
  state.sampling_descriptor = -1;
}

void Sampler::process_forked(ThreadState& state) {
  // The event counts the parent's thread. A timer is not inherited.
  if (state.sampling_descriptor >= 0 && is_ours(state)) close(state.sampling_descriptor);
  state.sampling_descriptor = -1;
  state.sampling_timer = nullptr;
  state.sampled = false;
  busy.clear();
  if (new_slots(instants_kept != nullptr)) thread_begins(state);
}

bool Sampler::begin_event(ThreadState& state) const {
  if (task_clock_refused && !counts_cycles) return false;
  const uint64_t first = first_period(state, event_period);
  const int opened =
      open_event(counts_cycles ? cycles_event(first)
                               : event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, first),
                 state.tid);
  if (opened < 0) {
    // The user may not use the task clock, or only without kernel time. The coarser timer then
    // sees more.
    if (errno == EACCES || errno == EPERM || errno == ENOSYS) task_clock_refused = true;
    return false;
  }
  int descriptor = fcntl(opened, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (descriptor >= 0)
    close(opened);
  else
    descriptor = opened;
  f_owner_ex owner{F_OWNER_TID, state.tid};
  if (fcntl(descriptor, F_SETSIG, kSignal) != 0 || fcntl(descriptor, F_SETOWN_EX, &owner) != 0 ||
      fcntl(descriptor, F_SETFL, O_ASYNC) != 0 ||
      ioctl(descriptor, PERF_EVENT_IOC_ID, &state.sampling_identity) != 0) {
    close(descriptor);
    return false;
  }
  state.sampling_descriptor = descriptor;
  state.in_first_period = true;
  // The first sample may arrive at once.
  state.sampled = true;
  arm(state);
  return true;
}

bool Sampler::begin_timer(ThreadState& state) const {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kSignal;
  event._sigev_un._tid = state.tid;
  // The CPU clock of the thread, as pthread_getcpuclockid gives it; that function needs a
  // pthread_t.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(state.tid) << 3) | 6U);
  timer_t timer;
  if (timer_create(clock, &event, &timer) != 0) return false;
  const auto first = static_cast<long>(first_period(state, period_ns_));
  const itimerspec every{{0, static_cast<long>(period_ns_)}, {0, first}};
  // The first sample may arrive at once.
  state.sampled = true;
  if (timer_settime(timer, 0, &every, nullptr) != 0) {
    timer_delete(timer);
    return false;
  }
  state.sampling_timer = timer;
  return true;
}

}  // namespace probes
