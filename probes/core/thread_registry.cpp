#include "thread_registry.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "measurement.hpp"

namespace probes {

namespace {

constexpr size_t kPairs = static_cast<size_t>(kPairRows) * kOperations;
constexpr size_t kPairBytes = kPairs * sizeof(uint64_t);

// For unregistered threads. Their counts are lost, and disturb no other counts.
uint64_t unregistered_pairs[kPairs];

constexpr ThreadState kNewThread = {
    .counts = {},
    .ahead = {},
    .mark = 0,
    .mark_frame = 0,
    .mark_instruction = 0,
    .pair_row = kFirstPairRow,
    .pairs = unregistered_pairs,
    .saved_rax = 0,
    .saved_rdx = 0,
    .measured = 0,
    .measured_frame = 0,
    .countdown = 0,
    .random = 0,
    .started = 0,
    .ended = 0,
    .steps = 0,
    .runtime_thread = 0,
    .next = nullptr,
    .tid = 0,
    .listed = false,
    .sampled = false,
    .in_first_period = false,
    .sampling_descriptor = -1,
    .sampling_identity = 0,
    .sampling_timer = nullptr,
};

#ifdef PROBES_LATE
// The state of threads that have not been entered yet. Their counts are lost.
ThreadState unknown_thread = kNewThread;
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ThreadState* threads;
ThreadObserver* observer;
bool pairs_wanted;
uint64_t ended_counts[kOperations];
uint64_t* ended_pairs;
pthread_key_t end_of_thread;

// The room for pairs of threads that have ended. It contains only zeros. In new memory, the first
// writing to each page costs a page fault.
constexpr size_t kMostSpares = 16;
uint64_t* spares[kMostSpares];
size_t spare_count;

uint64_t* new_pairs() {
  if (spare_count > 0) return spares[--spare_count];
  void* made =
      mmap(nullptr, kPairBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return made == MAP_FAILED ? unregistered_pairs : static_cast<uint64_t*>(made);
}

void add(uint64_t* sum, const uint64_t* part, size_t length) {
  for (size_t at = 0; at < length; ++at) sum[at] += part[at];
}

// Calls `act` with the place of each row of pairs that may contain other numbers than zero. The
// other rows are not read, because the first reading of a page costs a page fault too.
template <typename Act>
void for_each_row(const ThreadState& state, Act act) {
  for (size_t row = 0; row < kPairRows; ++row)
    if (row == kOperations || state.counts[row] != 0) act(row * kOperations);
}

void add_pairs(uint64_t* sum, const ThreadState& state) {
  for_each_row(state, [&](size_t at) { add(sum + at, state.pairs + at, kOperations); });
}

void take_pairs(ThreadState& state) {
  if (spare_count == kMostSpares) {
    munmap(state.pairs, kPairBytes);
  } else {
    for_each_row(state, [&](size_t at) { memset(state.pairs + at, 0, kPairRowBytes); });
    spares[spare_count++] = state.pairs;
  }
  state.pairs = unregistered_pairs;
}

void give_pairs(ThreadState& state) {
  if (pairs_wanted && state.pairs == unregistered_pairs) state.pairs = new_pairs();
}

void add_counts(uint64_t* sum, const ThreadState& state) {
  add(sum, state.counts, kOperations);
  add(sum, state.ahead, kOperations);
}

void forget_counts(ThreadState& state) {
  memset(state.counts, 0, sizeof state.counts);
  memset(state.ahead, 0, sizeof state.ahead);
  state.countdown = 0;
}

void enter(ThreadState& state, pid_t tid) {
  state.tid = tid;
  state.next = threads;
  state.listed = true;
  threads = &state;
  give_pairs(state);
  begin_timing(state);
  if (observer != nullptr) observer->thread_begins(state);
}

void remove(ThreadState& state) {
  if (!state.listed) return;
  if (observer != nullptr) observer->thread_ends(state);
  for (ThreadState** at = &threads; *at != nullptr; at = &(*at)->next) {
    if (*at == &state) {
      *at = state.next;
      break;
    }
  }
  state.listed = false;
  if (state.pairs != unregistered_pairs) {
    if (ended_pairs == nullptr) ended_pairs = new_pairs();
    add_pairs(ended_pairs, state);
    take_pairs(state);
  }
  add_counts(ended_counts, state);
  forget_counts(state);
}

void leave(void*) {
  pthread_mutex_lock(&lock);
  remove(thread_state);
  pthread_mutex_unlock(&lock);
}

void before_fork() { pthread_mutex_lock(&lock); }

void after_fork_in_parent() { pthread_mutex_unlock(&lock); }

void forget_counts() {
  memset(ended_counts, 0, sizeof ended_counts);
  if (ended_pairs != nullptr) memset(ended_pairs, 0, kPairBytes);
  for (ThreadState* state = threads; state != nullptr; state = state->next) {
    forget_counts(*state);
    begin_timing(*state);
    state->pair_row = kFirstPairRow;
    if (state->pairs != unregistered_pairs) memset(state->pairs, 0, kPairBytes);
  }
}

void after_fork_in_child() {
  ThreadState& state = thread_state;
  threads = state.listed ? &state : nullptr;
  state.next = nullptr;
  state.tid = gettid();
  forget_counts();
  forget_moments();
  if (observer != nullptr) observer->process_forked(state);
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) void begin() {
  pthread_key_create(&end_of_thread, leave);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
#ifndef PROBES_LATE
  enter(thread_state, gettid());
#endif
}

#ifndef PROBES_LATE
struct Beginning {
  void* (*routine)(void*);
  void* argument;
};

void* registered(void* given) {
  Beginning beginning = *static_cast<Beginning*>(given);
  free(given);
  pthread_mutex_lock(&lock);
  enter(thread_state, gettid());
  pthread_mutex_unlock(&lock);
  pthread_setspecific(end_of_thread, &thread_state);
  return beginning.routine(beginning.argument);
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
#endif

}  // namespace

#ifdef PROBES_LATE
__thread ThreadState* own_thread_state PROBES_STATIC_TLS = &unknown_thread;
#else
__thread ThreadState thread_state PROBES_STATIC_TLS = kNewThread;
#endif

void observe_threads(ThreadObserver* watching, bool with_pairs) {
  pthread_mutex_lock(&lock);
  observer = watching;
  pairs_wanted = with_pairs;
  for (ThreadState* state = threads; state != nullptr; state = state->next) {
    give_pairs(*state);
    state->mark = 0;
    if (observer != nullptr) observer->thread_begins(*state);
  }
  pthread_mutex_unlock(&lock);
}

void ignore_threads() {
  pthread_mutex_lock(&lock);
  if (observer != nullptr) {
    for (ThreadState* state = threads; state != nullptr; state = state->next)
      observer->thread_ends(*state);
  }
  observer = nullptr;
  pairs_wanted = false;
  pthread_mutex_unlock(&lock);
}

Totals total_counts() {
  Totals totals{};
  pthread_mutex_lock(&lock);
  add(totals.counts, ended_counts, kOperations);
  if (ended_pairs != nullptr) totals.pairs.assign(ended_pairs, ended_pairs + kPairs);
  for (ThreadState* state = threads; state != nullptr; state = state->next) {
    add_counts(totals.counts, *state);
    if (state->pairs == unregistered_pairs) continue;
    totals.pairs.resize(kPairs);
    add_pairs(totals.pairs.data(), *state);
  }
  pthread_mutex_unlock(&lock);
  return totals;
}

#ifdef PROBES_LATE
ThreadState* new_thread() { return new ThreadState(kNewThread); }

bool is_entered() { return own_thread_state != &unknown_thread; }

void enter_thread(ThreadState& state) {
  own_thread_state = &state;
  pthread_mutex_lock(&lock);
  enter(state, gettid());
  pthread_mutex_unlock(&lock);
}

ThreadState* thread_of(pid_t tid) {
  pthread_mutex_lock(&lock);
  ThreadState* found = threads;
  while (found != nullptr && found->tid != tid) found = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

void leave_thread() { leave(nullptr); }

void keep_threads(const std::vector<ThreadState*>& live) {
  pthread_mutex_lock(&lock);
  for (ThreadState* state = threads; state != nullptr;) {
    ThreadState* next = state->next;
    if (std::find(live.begin(), live.end(), state) == live.end()) remove(*state);
    state = next;
  }
  for (ThreadState* state : live)
    if (!state->listed) enter(*state, state->tid);
  pthread_mutex_unlock(&lock);
}
#endif

void reset_counts() {
  pthread_mutex_lock(&lock);
  forget_counts();
  pthread_mutex_unlock(&lock);
}

}  // namespace probes

#ifndef PROBES_LATE
// Registers every thread that the program starts, whatever library starts it. The probe is
// preloaded, so this definition takes precedence over the C library's.
extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  static const auto real = reinterpret_cast<probes::Create>(dlsym(RTLD_NEXT, "pthread_create"));
  auto* beginning = static_cast<probes::Beginning*>(malloc(sizeof(probes::Beginning)));
  if (beginning == nullptr) return real(thread, attributes, routine, argument);
  *beginning = {routine, argument};
  const int failed = real(thread, attributes, probes::registered, beginning);
  if (failed != 0) free(beginning);
  return failed;
}
#endif
