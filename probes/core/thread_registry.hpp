#pragma once

#include <vector>

#include "thread_state.hpp"

namespace probes {

// What all threads counted together.
struct Totals {
  uint64_t counts[kOperations];
  // kPairRows rows of the previous operation; empty unless pairs were counted.
  std::vector<uint64_t> pairs;
};

// Told of threads as they begin and end, with the registry locked, in that thread.
class ThreadObserver {
 public:
  virtual void thread_begins(ThreadState& state) = 0;
  virtual void thread_ends(ThreadState& state) = 0;
  // In the child of a fork, whose only thread is this one.
  virtual void process_forked(ThreadState& state) = 0;

 protected:
  ~ThreadObserver() = default;
};

// Watches all threads from now on, those that exist included. Only one at a time.
void observe_threads(ThreadObserver* observer, bool with_pairs);
void ignore_threads();

#ifdef PROBES_LATE
// A state for a thread that runs already; that thread makes it its own (`own_thread_state`).
ThreadState* new_thread();
// Whether the calling thread has a state of its own.
bool is_entered();
// The calling thread begins, with this state, or ends.
void enter_thread(ThreadState& state);
void leave_thread();
ThreadState* thread_of(pid_t tid);  // nullptr: not entered
// From now on the threads are these; others have ended unnoticed.
void keep_threads(const std::vector<ThreadState*>& live);
#endif

// Of live and ended threads. Exact once nothing is counted any more.
Totals total_counts();
void reset_counts();

}  // namespace probes
