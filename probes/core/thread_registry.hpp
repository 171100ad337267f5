#pragma once

#include <vector>

#include "thread_state.hpp"

namespace probes {

// The sums of the counts of all threads.
struct Totals {
  uint64_t counts[kOperations];
  // kPairRows rows, by the previous operation; empty unless pairs were counted.
  std::vector<uint64_t> pairs;
};

// Receives the beginnings and ends of threads. It is called in the thread, with the registry
// locked.
class ThreadObserver {
 public:
  virtual void thread_begins(ThreadState& state) = 0;
  virtual void thread_ends(ThreadState& state) = 0;
  // Called in the child of a fork. This thread is its only thread.
  virtual void process_forked(ThreadState& state) = 0;

 protected:
  ~ThreadObserver() = default;
};

// Observes all threads from now on, including existing threads. There can be only one observer.
void observe_threads(ThreadObserver* observer, bool with_pairs);
void ignore_threads();

#ifdef PROBES_LATE
// A state for a thread that is already running. The thread then sets `own_thread_state` to it.
ThreadState* new_thread();
// Whether the calling thread has its own state.
bool is_entered();
// Marks the beginning of the calling thread, with this state, or its end.
void enter_thread(ThreadState& state);
void leave_thread();
ThreadState* thread_of(pid_t tid);  // nullptr: not entered
// Limits the registry to these threads. Other threads have ended unnoticed.
void keep_threads(const std::vector<ThreadState*>& live);
#endif

// The sums over live and ended threads. They are exact when no thread counts any more.
Totals total_counts();
void reset_counts();

}  // namespace probes
