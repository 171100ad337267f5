#include "termination.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace probes {

namespace {

constexpr timespec kEvery{0, 20'000'000};
constexpr int kMost = 250;

struct Watched {
  struct sigaction of_runtime;
  std::atomic<bool> repeating;
  std::atomic<int> repeated;
  // The kernel's number of the timer, which glibc does not reveal.
  int timer;
};
Watched all_watched[_NSIG];

// Uses only system calls: glibc's functions for timers must not be called in a signal handler. The
// child of a fork does not inherit a timer.
void begin_repeating(int signal_number) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal_number;
  const itimerspec when{kEvery, kEvery};
  int& timer = all_watched[signal_number].timer;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
    syscall(SYS_timer_settime, timer, 0, &when, nullptr);
}

// Passes signals from other senders to the runtime's handler. Repetitions only interrupt the
// thread.
void on_signal(int signal_number, siginfo_t* info, void* context) {
  const int error = errno;
  Watched& watched = all_watched[signal_number];
  const struct sigaction& of_runtime = watched.of_runtime;
  if (info->si_code == SI_TIMER) {
    if (++watched.repeated > kMost) {
      struct sigaction ending = {};
      ending.sa_handler = SIG_DFL;
      sigaction(signal_number, &ending, nullptr);
    }
  } else {
    if ((of_runtime.sa_flags & SA_SIGINFO) != 0)
      of_runtime.sa_sigaction(signal_number, info, context);
    else
      of_runtime.sa_handler(signal_number);
    watched.repeated = 0;
    if (!watched.repeating.exchange(true)) begin_repeating(signal_number);
  }
  errno = error;
}

}  // namespace

void repeat_until_heard(int signal_number) {
  struct sigaction& of_runtime = all_watched[signal_number].of_runtime;
  if (sigaction(signal_number, nullptr, &of_runtime) != 0) return;
  if (of_runtime.sa_handler == SIG_DFL || of_runtime.sa_handler == SIG_IGN) return;
  struct sigaction ours = of_runtime;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_signal;
  sigaction(signal_number, &ours, nullptr);
}

void heard(int signal_number) {
  Watched& watched = all_watched[signal_number];
  if (watched.repeating.exchange(false)) syscall(SYS_timer_delete, watched.timer);
}

void hand_over(int signal_number) {
  struct sigaction now;
  if (sigaction(signal_number, nullptr, &now) == 0 && now.sa_sigaction == on_signal)
    sigaction(signal_number, &all_watched[signal_number].of_runtime, nullptr);
}

}  // namespace probes
