// runfair-launch: starts one program, stays small, accounts for the whole process tree, ends it
// when told, and reports.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "clock.hpp"
#include "measurement.hpp"
#include "options.hpp"
#include "report.hpp"

namespace {

using launcher::Options;

// A descriptor opened later must not land on 0 to 2.
void fill_standard_descriptors() {
  for (int number = 0; number < 3; ++number)
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1);
}

// Whatever else the lab let slip is closed: the write end of the launcher's own lifeline, held
// here, would keep it from ever ending.
void close_inherited(const Options& options) {
  unsigned keep = static_cast<unsigned>(options.program_stdin.value_or(2));
  if (keep > 3) close_range(3, keep - 1, 0);
  close_range(keep + 1, ~0U, 0);
}

int64_t own_cpu_ns() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return launcher::to_ns(used.ru_utime) + launcher::to_ns(used.ru_stime);
}

int fail(const std::string& path, int error) {
  std::fprintf(stderr, "runfair-launch: cannot write %s: %s\n", path.c_str(), std::strerror(error));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--help") {
    std::printf("%s\n", launcher::kUsage);
    return 0;
  }
  Options options;
  try {
    options = launcher::parse_options(arguments);
  } catch (const launcher::UsageError& error) {
    std::fprintf(stderr, "runfair-launch: %s\n", error.what());
    return 2;
  }
  close_inherited(options);

  launcher::ReportFile file;
  if (int error = file.open(options.report)) return fail(options.report, error);
  launcher::Report report = launcher::measure(options);
  report.launcher_cpu_ns = own_cpu_ns();
  if (int error = file.publish(report.json())) return fail(options.report, error);
  return 0;
}
