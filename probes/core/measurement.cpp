#include "measurement.hpp"

#include <dlfcn.h>
#include <linux/rseq.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace probes {

namespace {

constexpr uint64_t kTrapFlag = 0x100;
constexpr uint32_t kSignature = 0x53053053;  // RSEQ_SIG of glibc on x86

Moments moments[kOperations];
uint64_t period_mask;
// The thunks of tables that were ever attached, because a thread may still execute any of them. A
// free entry contains no address. It stays so while a signal handler reads it: `end` is valid
// before `begin` is.
constexpr uint64_t kFree = ~uint64_t{0};
struct Thunks {
  std::atomic<uint64_t> begin{kFree};
  std::atomic<uint64_t> end{0};
};
constexpr size_t kMostThunks = 1024;
std::array<Thunks, kMostThunks> thunks;
std::atomic<size_t> thunk_count;
int frame_register = REG_RSP;

bool timing;

// By xorshift (Marsaglia, "Xorshift RNGs", 2003).
__attribute__((target("general-regs-only"))) inline uint64_t random_number(ThreadState& state) {
  uint64_t number = state.random != 0 ? state.random : reinterpret_cast<uintptr_t>(&state) | 1;
  number ^= number << 13;
  number ^= number >> 7;
  number ^= number << 17;
  return state.random = number;
}

// Chooses between 0.5 and 1.5 periods.
__attribute__((target("general-regs-only"))) inline uint64_t next_distance(ThreadState& state) {
  return (random_number(state) & period_mask) + period_mask / 2 + 1;
}

__attribute__((target("general-regs-only"))) inline void measure_after(ThreadState& state,
                                                                       uint64_t operation,
                                                                       uint64_t distance) {
  state.counts[operation] -= distance;
  state.ahead[operation] += distance;
}

__attribute__((target("general-regs-only"))) inline void add(uint64_t& sum, uint64_t part) {
  __atomic_fetch_add(&sum, part, __ATOMIC_RELAXED);
}

__attribute__((target("general-regs-only"))) inline void keep(Moments& own, uint64_t value) {
  add(own.count, 1);
  add(own.sum, value);
  add(own.sum_of_squares, value * value);
}

PreemptionMark make_mark() {
  PreemptionMark mark{false, 0, 0};
  const auto* offset = static_cast<const ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  const auto* size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
  if (offset == nullptr || size == nullptr || *size == 0) return mark;
  constexpr size_t kPage = 4096, kCode = 2048, kAbort = 2064;
  void* page =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (page == MAP_FAILED) return mark;
  auto* bytes = static_cast<char*>(page);
  const auto address = reinterpret_cast<uintptr_t>(page);
  rseq_cs sequence = {};
  sequence.start_ip = address + kCode;
  sequence.post_commit_offset = 1;
  sequence.abort_ip = address + kAbort;
  memcpy(bytes, &sequence, sizeof sequence);
  memcpy(bytes + kAbort - sizeof kSignature, &kSignature, sizeof kSignature);
  mark.known = true;
  mark.offset =
      static_cast<int32_t>(*offset + static_cast<ptrdiff_t>(offsetof(struct rseq, rseq_cs)));
  mark.descriptor = static_cast<int32_t>(address);
  return mark;
}

// These are read in places that must not call a function.
PreemptionMark known_mark;
bool mark_made;

bool in_thunks(uint64_t address) {
  const Thunks* first = thunks.data();
  return std::any_of(first, first + thunk_count, [address](const Thunks& range) {
    return address >= range.begin && address < range.end;
  });
}

// The entry that begins at `begin`; nullptr if there is none.
Thunks* entry_of(uint64_t begin) {
  Thunks* last = thunks.data() + thunk_count;
  Thunks* found = std::find_if(thunks.data(), last,
                               [begin](const Thunks& range) { return range.begin == begin; });
  return found == last ? nullptr : found;
}

// Whether the next instruction may block SIGTRAP. The kernel ends a process that steps meanwhile.
bool sets_signal_mask(uint64_t address, int64_t system_call) {
  constexpr uint16_t kSyscall = 0x050f;
  uint16_t next;
  memcpy(&next, reinterpret_cast<const void*>(address), sizeof next);
  return next == kSyscall && system_call == SYS_rt_sigprocmask;
}

void on_trap(int, siginfo_t*, void* given) {
  ThreadState& state = thread_state;
  auto* registers = static_cast<ucontext_t*>(given)->uc_mcontext.gregs;
  if ((static_cast<uint64_t>(registers[REG_EFL]) & kTrapFlag) == 0) return;
  if (state.measured == 0) {
    // The thread was started by a stepping thread, and inherited the flag.
    registers[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
    return;
  }
  const auto address = static_cast<uint64_t>(registers[REG_RIP]);
  Moments& own = moments[state.measured - 1];
  if (!in_thunks(address)) {
    const bool goes_on = !sets_signal_mask(address, registers[REG_RAX]);
    if (++state.steps <= kMostSteps && goes_on) return;
    add(own.interrupted, 1);
  } else if (state.steps == 0) {
    return;  // the operation has not begun yet
  } else if (static_cast<uint64_t>(registers[frame_register]) != state.measured_frame) {
    add(own.nested, 1);
  } else {
    keep(own, state.steps);
  }
  registers[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
  state.measured = 0;
  state.countdown = static_cast<int64_t>(next_distance(state));
}

}  // namespace

const PreemptionMark& preemption_mark() {
  if (!mark_made) {
    known_mark = make_mark();
    mark_made = true;
  }
  return known_mark;
}

__attribute__((target("general-regs-only"), no_caller_saved_registers)) void end_timing() {
  ThreadState& state = thread_state;
  Moments& own = moments[state.measured - 1];
  uint64_t base;
  asm("mov %%fs:0, %0" : "=r"(base));
  uint64_t left = 1;
  if (known_mark.known) {
    auto* pointer = reinterpret_cast<uint64_t*>(
        base + static_cast<uint64_t>(static_cast<int64_t>(known_mark.offset)));
    left = *pointer;
    *pointer = 0;
  }
  const uint64_t ticks = state.ended - state.started;
  if (state.mark_frame != state.measured_frame)
    add(own.nested, 1);
  else if (left == 0 || ticks > kLongestTicks)
    add(own.interrupted, 1);
  else
    keep(own, ticks);
  measure_after(state, state.measured - 1, next_distance(state));
  state.measured = 0;
}

__attribute__((target("general-regs-only"), no_caller_saved_registers)) void skip_if_blocked() {
  constexpr uint64_t kTrap = uint64_t{1} << (SIGTRAP - 1);
  uint64_t blocked = 0;
  int64_t status = SYS_rt_sigprocmask;
  register uint64_t size asm("r10") = sizeof blocked;
  asm volatile("syscall"
               : "+a"(status)
               : "D"(0), "S"(0), "d"(&blocked), "r"(size)
               : "rcx", "r11", "memory");
  if (status == 0 && (blocked & kTrap) == 0) return;
  thread_state.measured = 0;
  thread_state.countdown = static_cast<int64_t>(next_distance(thread_state));
}

const char* begin_stepping(uint64_t begin, uint64_t end, Assembler::Register frame) {
  frame_register = frame == Assembler::kRbp ? REG_RBP : REG_RSP;
  Thunks* own = entry_of(kFree);
  if (own == nullptr && thunk_count == kMostThunks)
    return "too many tables were attached to count instructions";
  if (own == nullptr) own = &thunks[thunk_count++];
  own->end = end;
  own->begin = begin;
  struct sigaction now;
  if (sigaction(SIGTRAP, nullptr, &now) != 0 ||
      (now.sa_handler != SIG_DFL && now.sa_sigaction != on_trap))
    return "the program uses the signal (SIGTRAP) that single steps need";
  struct sigaction ours = {};
  ours.sa_sigaction = on_trap;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  return sigaction(SIGTRAP, &ours, nullptr) == 0 ? nullptr : "SIGTRAP cannot be handled";
}

void end_stepping(uint64_t begin) {
  if (Thunks* own = entry_of(begin)) {
    own->begin = kFree;
    own->end = 0;
  }
}

void begin_timing(ThreadState& state) {
  if (!timing) return;
  for (uint64_t operation = 0; operation < kOperations; ++operation)
    measure_after(state, operation, 1 + (random_number(state) & period_mask));
}

void time_operations(bool wanted) { timing = wanted; }

void forget_moments() { memset(moments, 0, sizeof moments); }

void reset_moments(uint64_t period) {
  forget_moments();
  period_mask = period - 1;
}

Moments& moments_of(int operation) { return moments[operation]; }

}  // namespace probes
