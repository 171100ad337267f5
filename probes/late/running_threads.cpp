#include "running_threads.hpp"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "../core/thread_registry.hpp"

namespace probes {

namespace {

// The same signal as the sampler's, because its default action is to ignore it.
constexpr int kSignal = SIGURG;
constexpr int kMostWaits = 2'000;
constexpr timespec kWait{0, 1'000'000};

// Only a thread itself can reach its thread-local memory. Each thread answers the signal with its
// state.
struct Answers {
  std::vector<ThreadState*> fresh;
  std::vector<ThreadState*> given;
  std::atomic<size_t> asked_for{0};
  std::atomic<size_t> number{0};
};
Answers* answers;

void on_signal(int, siginfo_t*, void*) {
  const size_t at = answers->asked_for.fetch_add(1);
  if (at >= answers->given.size()) return;
  if (!is_entered()) {
    own_thread_state = answers->fresh[at];
    own_thread_state->tid = gettid();
  }
  answers->given[at] = own_thread_state;
  answers->number.fetch_add(1, std::memory_order_release);
}

std::vector<pid_t> running_threads() {
  std::vector<pid_t> found;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder))
    if (const int tid = atoi(entry->d_name); tid > 0) found.push_back(tid);
  closedir(folder);
  return found;
}

bool signalled(pid_t tid, int signal) { return syscall(SYS_tgkill, getpid(), tid, signal) == 0; }

// The number of these threads that are still alive.
size_t alive(const std::vector<pid_t>& threads) {
  const auto lives = [](pid_t tid) { return signalled(tid, 0); };
  return static_cast<size_t>(std::count_if(threads.begin(), threads.end(), lives));
}

}  // namespace

const char* enter_running_threads() {
  struct sigaction before, ours = {};
  if (sigaction(kSignal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL)
    return "the program uses the signal (SIGURG) that the probe needs";
  std::vector<pid_t> threads = running_threads();
  // This is never freed, because a late answer may still come.
  answers = new Answers;
  answers->given.resize(threads.size());
  for (size_t at = 0; at < threads.size(); ++at) answers->fresh.push_back(new_thread());
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(kSignal, &ours, nullptr);
  std::vector<pid_t> asked;
  for (const pid_t tid : threads)
    if (signalled(tid, kSignal)) asked.push_back(tid);
  auto answered = [] { return answers->number.load(std::memory_order_acquire); };
  for (int at = 0; at < kMostWaits && answered() < alive(asked); ++at) nanosleep(&kWait, nullptr);
  const bool all = answered() >= alive(asked);
  sigaction(kSignal, &before, nullptr);
  std::vector<ThreadState*> live;
  for (ThreadState* state : answers->given)
    if (state != nullptr) live.push_back(state);
  keep_threads(live);
  return all ? nullptr
             : "a thread does not handle the signal (SIGURG) with which the probe enters it";
}

void enter_new_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (!is_entered()) enter_thread(*new_thread());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace probes
