// runfair-launch starts one program and measures its whole process tree. It ends the tree when it
// is asked to, and writes a report.

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

// Opens the descriptors 0 to 2 if they are closed, so that no later file gets one of these
// numbers.
void fill_standard_descriptors() {
  for (int number = 0; number < 3; ++number)
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1);
}

// Closes all other inherited descriptors. If the launcher held the write end of its own lifeline,
// the lifeline would never end.
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
