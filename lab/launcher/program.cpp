#include "program.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "clock.hpp"
#include "kernel_file.hpp"
#include "processors.hpp"

namespace launcher {
namespace {

enum class Step {
  kExecute,
  kSession,
  kDeathSignal,
  kStreams,
  kDirectory,
  kCgroup,
  kProcessors,
  kUser
};

// Messages from the child to its starter: a notice before exec, and a second notice if a step
// failed.
struct Notice {
  Step step = Step::kExecute;
  int error = 0;
  int64_t monotonic_ns = 0;
  int64_t realtime_ns = 0;
  uint64_t waited_ns = 0;
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  ProcessorTime::Reading processors{};
};

std::string describe(Step step, const Options& options) {
  switch (step) {
    case Step::kExecute:
      return "cannot execute " + options.command[0];
    case Step::kSession:
      return "cannot make a session";
    case Step::kDeathSignal:
      return "cannot request a signal at the launcher's death";
    case Step::kStreams:
      return "cannot set the program's input and output";
    case Step::kDirectory:
      return "cannot enter " + options.directory.value_or("");
    case Step::kCgroup:
      return "cannot join the cgroup";
    case Step::kProcessors:
      return "cannot pin to the processors";
    case Step::kUser:
      return "cannot become user " + std::to_string(options.user.value_or(User{}).uid);
  }
  return "cannot start";
}

[[noreturn]] void fail(int notices, Step step, int error) {
  Notice notice{.step = step, .error = error};
  if (write(notices, &notice, sizeof notice) < 0) _exit(126);
  _exit(127);
}

void reset_signals() {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Returns 0 or errno. The streams are given to the user too, because the program could not open
// /dev/stderr otherwise.
int become(const User& user) {
  for (int stream = 0; stream < 3; ++stream) {
    struct stat about{};
    if (fstat(stream, &about) != 0 || !(S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode)))
      continue;
    if (fchown(stream, user.uid, user.gid) != 0) return errno;
  }
  bool done = setgroups(0, nullptr) == 0 && setresgid(user.gid, user.gid, user.gid) == 0 &&
              setresuid(user.uid, user.uid, user.uid) == 0 &&
              // After this, a program with the set-user-ID bit cannot undo the change of user.
              prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  return done ? 0 : errno;
}

// The time that this process has waited for a processor; 0 if the kernel does not record it.
uint64_t own_waiting_ns() {
  auto text = read_kernel_file("/proc/self/schedstat");
  if (!text) return 0;
  auto figures = words(*text);  // running ns, waiting ns, number of time slices
  return figures.size() < 2 ? 0 : parse_number(figures[1]).value_or(0);
}

[[noreturn]] void become_program(const Options& options, const ProgramStreams& streams,
                                 const std::vector<Membership>& memberships,
                                 const ProcessorTime& processor_time, int notices, pid_t launcher) {
  if (setsid() < 0) fail(notices, Step::kSession, errno);
  for (int stream = 0; stream < 3; ++stream) {
    int from = streams.number(stream);
    if (from >= 0 && dup2(from, stream) < 0) fail(notices, Step::kStreams, errno);
  }
  if (options.directory && chdir(options.directory->c_str()) != 0)
    fail(notices, Step::kDirectory, errno);
  for (const Membership& group : memberships)
    if (write(group.descriptor, "0", 1) < 0 && group.required) fail(notices, Step::kCgroup, errno);
  if (!options.processors.empty())
    if (int error = set_affinity(options.processors)) fail(notices, Step::kProcessors, error);
  if (options.user)
    if (int error = become(*options.user)) fail(notices, Step::kUser, error);
  // A change of user clears this setting, so it comes last.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(notices, Step::kDeathSignal, errno);
  if (getppid() != launcher) _exit(127);  // the launcher ended before prctl

  std::vector<char*> arguments;
  for (const std::string& argument : options.command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  uint64_t waited_ns = own_waiting_ns();
  // Read here, so that the launcher's work before exec is no foreign time.
  ProcessorTime::Reading processors = processor_time.read();
  Notice notice{.monotonic_ns = monotonic_ns(),
                .realtime_ns = read_clock_ns(CLOCK_REALTIME),
                .waited_ns = waited_ns,
                .processors = processors};
  // This is read after the clocks, so that the CPU time of the program is part of its wall time.
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  notice.user_ns = to_ns(used.ru_utime);
  notice.system_ns = to_ns(used.ru_stime);
  if (write(notices, &notice, sizeof notice) < 0) _exit(126);
  // execvp would run a text file without "#!" in a shell. For a path, execv is used.
  if (options.command[0].find('/') != std::string::npos) {
    execv(arguments[0], arguments.data());
  } else {
    execvp(arguments[0], arguments.data());
  }
  fail(notices, Step::kExecute, errno);
}

}  // namespace

StartError start_error(const std::string& tried, int error) {
  return {tried + ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")"};
}

std::optional<StartError> ProgramStreams::open(const Options& options) {
  auto open_as = [](Descriptor& stream, const std::string& path,
                    int flags) -> std::optional<StartError> {
    stream = Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
    if (stream.valid()) return std::nullopt;
    return start_error("cannot open " + path, errno);
  };
  constexpr int kFresh = O_WRONLY | O_CREAT | O_TRUNC;
  if (options.program_stdin) {
    streams_[0] = Descriptor(*options.program_stdin);
  } else if (auto error = open_as(streams_[0], "/dev/null", O_RDONLY)) {
    return error;
  }
  if (options.program_stdout)
    if (auto error = open_as(streams_[1], *options.program_stdout, kFresh)) return error;
  // If both paths are the same, one open file serves both; otherwise they would overwrite each
  // other.
  errors_to_output_ = options.program_stderr && options.program_stderr == options.program_stdout;
  if (options.program_stderr && !errors_to_output_)
    if (auto error = open_as(streams_[2], *options.program_stderr, kFresh)) return error;
  return std::nullopt;
}

int ProgramStreams::number(int stream) const {
  return streams_[stream == 2 && errors_to_output_ ? 1 : stream].number();
}

void ProgramStreams::close() {
  for (Descriptor& stream : streams_) stream.close();
}

StartedProgram start_program(const Options& options, const ProgramStreams& streams,
                             const std::vector<Membership>& memberships,
                             const ProcessorTime& processor_time) {
  StartedProgram started;
  auto failed = [&](const char* what) {
    started.error = start_error(what, errno);
    return started;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failed("cannot make a pipe");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  pid_t launcher = getpid();
  // vfork would make the program's peak memory begin with the launcher's memory.
  started.pid = fork();
  if (started.pid < 0) return failed("cannot fork");
  if (started.pid == 0) {
    become_program(options, streams, memberships, processor_time, writing.number(), launcher);
  }
  writing.close();

  Notice notice;
  bool told = false;
  for (;;) {
    ssize_t length = read(reading.number(), &notice, sizeof notice);
    if (length < 0 && errno == EINTR) continue;
    // A write of less than PIPE_BUF arrives whole. If the pipe ends after the first notice, exec
    // has succeeded and closed it.
    if (length != sizeof notice) break;
    if (notice.error != 0) {
      started.error = start_error(describe(notice.step, options), notice.error);
    } else {
      told = true;
      started.monotonic_ns = notice.monotonic_ns;
      started.realtime_ns = notice.realtime_ns;
      started.waited_ns = notice.waited_ns;
      started.user_ns = notice.user_ns;
      started.system_ns = notice.system_ns;
      started.processors = notice.processors;
    }
  }
  if (!told && !started.error)
    started.error = StartError{"the child ended before it could execute the program"};
  if (started.error) waitpid(started.pid, nullptr, 0);
  return started;
}

}  // namespace launcher
