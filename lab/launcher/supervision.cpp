#include "supervision.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "clock.hpp"
#include "process_tree.hpp"

namespace launcher {
namespace {

constexpr int64_t kNever = INT64_MAX;
// Sampling may use at most 1/50 of a processor. If a sample gets expensive (many threads, much
// memory), the next sample is taken later. If the launcher itself watches a memory limit, it may
// use 1/10.
constexpr int64_t kSampleShare = 50;
constexpr int64_t kWatchShare = 10;
// Helper processes of runtimes (the resource tracker of Python's multiprocessing, JVM attach
// helpers) end a moment after the program, when its pipe closes. They do not count as left behind.
constexpr int64_t kFinishNs = 100 * kNsPerMs;
constexpr int64_t kEndingStepNs = 20 * kNsPerMs;
// A process in uninterruptible sleep survives SIGKILL. The launcher waits for it only this long.
constexpr int64_t kEndingNs = 10 * kNsPerSecond;

uint64_t to_bytes(long kilobytes) { return static_cast<uint64_t>(kilobytes) * 1024; }

}  // namespace

Descriptor receive_signals() {
  // If SIGCHLD were still ignored (inherited), the kernel would reap the children itself.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  standard.sa_flags = SA_NOCLDSTOP;
  sigaction(SIGCHLD, &standard, nullptr);
  signal(SIGPIPE, SIG_IGN);
  sigset_t taken;
  sigemptyset(&taken);
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&taken, number);
  sigprocmask(SIG_BLOCK, &taken, nullptr);
  return Descriptor(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool has_lifeline() {
  struct stat about{};
  return fstat(STDIN_FILENO, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

Supervision::Supervision(const Options& options, const StartedProgram& program,
                         const Descriptor& signals, const ControlGroup* memory_group,
                         const ProcessorTime& processor_time)
    : options_(options),
      program_(program),
      signals_(signals),
      memory_group_(memory_group),
      processor_time_(processor_time),
      lifeline_(has_lifeline()),
      exit_watch_(program.pid) {
  next_sample_ns_ = options.sample_ns > 0 ? monotonic_ns() + options.sample_ns : kNever;
}

void Supervision::run() {
  while (!program_ended_) {
    wait_for_event(next_event_ns());
    int64_t now_ns = monotonic_ns();
    if (survivors_ > 0) break;
    if (program_ended_) continue;
    if (ending_ == Ending::kOrderly) {
      if (now_ns >= grace_ends_ns_) end(State::kEndedByLab);
    } else if (options_.timeout_ns && now_ns >= program_.monotonic_ns + *options_.timeout_ns) {
      end(State::kTimedOut);
    }
    if (ending_ != Ending::kAtOnce && now_ns >= next_sample_ns_) sample();
    if (survivors_ > 0) break;
  }
  if (ending_ != Ending::kAtOnce) {
    let_descendants_finish();
    end_descendants();
  }
  if (memory_group_ && memory_group_->oom_kills() > 0) forced_ = State::kMemoryExceeded;
  // A program can exceed a watched limit and end between two samples.
  if (options_.memory_limit_bytes && !memory_group_ && !forced_ &&
      peak_rss_bytes_ > *options_.memory_limit_bytes)
    forced_ = State::kMemoryExceeded;
  if (forced_) outcome_.state = *forced_;
  if (survivors_ > 0)
    outcome_.error = std::to_string(survivors_) + " processes of the tree could not be ended";
}

int64_t Supervision::next_event_ns() const {
  int64_t next_ns = next_sample_ns_;
  if (ending_ == Ending::kOrderly) return std::min(next_ns, grace_ends_ns_);
  if (options_.timeout_ns)
    next_ns = std::min(next_ns, program_.monotonic_ns + *options_.timeout_ns);
  return next_ns;
}

void Supervision::wait_for_event(int64_t until_ns) {
  // After the program has ended, the lifeline is not needed any more.
  bool listen = lifeline_ && !program_ended_;
  pollfd events[2] = {{signals_.number(), POLLIN, 0}, {listen ? STDIN_FILENO : -1, POLLIN, 0}};
  int64_t left_ns = std::max<int64_t>(until_ns - monotonic_ns(), 0);
  timespec left{left_ns / kNsPerSecond, left_ns % kNsPerSecond};
  if (ppoll(events, 2, until_ns == kNever ? nullptr : &left, nullptr) <= 0) return;
  if (events[0].revents != 0) read_signals();
  if (events[1].revents != 0 && !program_ended_) read_lifeline();
}

void Supervision::read_signals() {
  bool asked_to_end = false;
  signalfd_siginfo about;
  while (read(signals_.number(), &about, sizeof about) == sizeof about)
    asked_to_end = asked_to_end || about.ssi_signo != SIGCHLD;
  reap();
  if (asked_to_end && !program_ended_) end(State::kEndedByLab);
}

void Supervision::read_lifeline() {
  char bytes[64];
  ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
  if (length < 0 && errno == EINTR) return;
  if (length > 0) {
    if (std::find(bytes, bytes + length, 't') != bytes + length) ask_to_end();
    return;
  }
  lifeline_ = false;
  if (ending_ == Ending::kNone) end(State::kEndedByLab);
}

void Supervision::ask_to_end() {
  if (ending_ != Ending::kNone) return;
  ending_ = Ending::kOrderly;
  forced_ = State::kEndedByLab;
  grace_ends_ns_ = monotonic_ns() + options_.grace_ns;
  kill(program_.pid, SIGTERM);
}

void Supervision::end(State state) {
  if (ending_ == Ending::kAtOnce) return;
  ending_ = Ending::kAtOnce;
  forced_ = state;
  end_descendants();
}

void Supervision::sample() {
  int64_t began_ns = monotonic_ns();
  int64_t began_cpu_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  auto members = running(descendants(getpid()));
  std::optional<uint64_t> pss_bytes;
  if (!members.empty()) pss_bytes = samples_.look(members);
  bool exceeded = memory_exceeded(members, pss_bytes);
  int64_t cost_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_cpu_ns;
  bool watching = options_.memory_limit_bytes && !memory_group_;
  int64_t pause_ns = cost_ns * (watching ? kWatchShare : kSampleShare);
  next_sample_ns_ = began_ns + std::max(options_.sample_ns, pause_ns);
  if (exceeded) end(State::kMemoryExceeded);
}

bool Supervision::memory_exceeded(const std::vector<pid_t>& members,
                                  std::optional<uint64_t> pss_bytes) const {
  if (!options_.memory_limit_bytes) return false;
  // In a version 1 group, the kernel kills only one process. The rest of the tree is ended here.
  if (memory_group_) return memory_group_->oom_kills() > 0;
  // Resident sizes count shared pages once for each process. They only show when the proportional
  // size must be read.
  uint64_t resident = resident_bytes(members);
  if (resident <= *options_.memory_limit_bytes) return false;
  uint64_t proportional = pss_bytes ? *pss_bytes : proportional_bytes(members);
  bool unreadable = proportional == 0;
  return unreadable || proportional > *options_.memory_limit_bytes;
}

// Returns whether children are left.
bool Supervision::reap() {
  for (;;) {
    siginfo_t about{};
    if (waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (about.si_pid == 0) return true;
    bool is_program = about.si_pid == program_.pid;
    // Read first, so that the launcher's work after the program's end is no foreign time.
    if (is_program || program_ended_) processors_ = processor_time_.read();
    samples_.before_reaping(about.si_pid);
    if (is_program) ended_ns_ = exit_watch_.ended_ns();
    int status = 0;
    rusage used{};
    wait4(about.si_pid, &status, 0, &used);
    if (!is_program) continue;
    program_ended_ = true;
    peak_rss_bytes_ = to_bytes(used.ru_maxrss);
    if (WIFSIGNALED(status)) {
      outcome_.state = State::kSignalled;
      outcome_.signal = WTERMSIG(status);
    } else {
      outcome_.state = State::kExited;
      outcome_.exit_status = WEXITSTATUS(status);
    }
  }
}

void Supervision::let_descendants_finish() {
  int64_t until_ns = monotonic_ns() + kFinishNs;
  while (reap() && monotonic_ns() < until_ns) wait_for_event(until_ns);
  auto members = running(descendants(getpid()));
  left_behind_ = members.size();
  if (!members.empty()) samples_.look(members);
}

void Supervision::end_descendants() {
  int64_t until_ns = monotonic_ns() + kEndingNs;
  pollfd events[1] = {{signals_.number(), POLLIN, 0}};
  while (reap()) {
    if (monotonic_ns() >= until_ns) {
      survivors_ = running(descendants(getpid())).size();
      return;
    }
    kill_descendants(getpid());
    timespec step{0, kEndingStepNs};
    ppoll(events, 1, &step, nullptr);
    signalfd_siginfo about;
    while (read(signals_.number(), &about, sizeof about) == sizeof about) continue;
  }
}

}  // namespace launcher
