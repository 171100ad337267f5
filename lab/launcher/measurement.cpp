#include "measurement.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "clock.hpp"
#include "page_cache.hpp"
#include "processor_counters.hpp"
#include "processor_time.hpp"
#include "processors.hpp"
#include "program.hpp"
#include "supervision.hpp"

namespace launcher {
namespace {

std::optional<CgroupPlace> find_group(const Options& options, const std::string& controller) {
  return options.cgroup_root ? group_under(*options.cgroup_root, controller)
                             : own_group(controller);
}

// The groups that the options request, and a group that counts the CPU time of the tree. A process
// is in one group of each hierarchy, so a requested group may be the one that counts.
struct Groups {
  std::optional<ControlGroup> memory;
  std::optional<ControlGroup> cpu;
  std::optional<ControlGroup> accounting;
  // The group that counts.
  std::optional<CgroupPlace> counting;
  std::string error;  // the reason why a requested limit is impossible

  std::vector<Membership> memberships() const {
    std::vector<Membership> all;
    std::vector<std::string> directories;
    for (const auto* group : {&memory, &cpu, &accounting}) {
      if (!*group) continue;
      // In version 2, several can be the same group.
      const std::string& directory = (*group)->place().directory;
      if (std::find(directories.begin(), directories.end(), directory) != directories.end())
        continue;
      directories.push_back(directory);
      all.push_back({.descriptor = (*group)->membership(), .required = group != &accounting});
    }
    return all;
  }
};

void make_memory_group(const Options& options, const std::optional<CgroupPlace>& place,
                       Groups& groups) {
  // Without a limit, a group is useful only for its peak, which only version 2 records. It is then
  // made only if the lab has named a group: a separate group changes how the kernel treats a
  // program.
  bool for_peak = options.cgroup_root && place && place->version == CgroupVersion::kV2;
  if (!place || !(options.memory_limit_bytes || for_peak)) return;
  // If no group can be made, the launcher itself watches the limit, and the report says so.
  std::string unwritable;
  auto group = ControlGroup::create(*place, "memory", unwritable);
  if (!group) return;
  if (options.memory_limit_bytes && !group->limit_memory(*options.memory_limit_bytes).empty())
    return;
  groups.memory.emplace(std::move(*group));
}

void make_cpu_group(const Options& options, const std::optional<CgroupPlace>& place,
                    Groups& groups) {
  if (!options.cpu_quota) return;
  if (!place) {
    groups.error =
        "a CPU quota needs a writable cgroup with the cpu controller, but there is no such cgroup";
    return;
  }
  std::string reason;
  auto group = ControlGroup::create(*place, "cpu", reason);
  if (group) reason = group->limit_cpu(*options.cpu_quota);
  if (!group || !reason.empty()) {
    groups.error = "a CPU quota needs a writable cgroup with the cpu controller: " + reason;
    return;
  }
  groups.cpu.emplace(std::move(*group));
}

// Without permission there is no such group. The tree's CPU time is then that of wait4(2).
void make_accounting_group(const std::optional<CgroupPlace>& place, Groups& groups) {
  if (!place) return;
  for (const auto* requested : {&groups.memory, &groups.cpu}) {
    if (*requested && same_hierarchy((*requested)->place(), *place)) {
      groups.counting = (*requested)->place();
      return;
    }
  }
  std::string unwritable;
  auto group = ControlGroup::create_for_accounting(*place, unwritable);
  if (!group) return;
  groups.counting = group->place();
  groups.accounting.emplace(std::move(*group));
}

Groups make_groups(const Options& options) {
  auto memory = find_group(options, "memory");
  auto cpu = find_group(options, "cpu");
  auto accounting = accounting_place(options.cgroup_root);
  // A process is in one group of version 2, so both limits need the same parent. The outer one of
  // the two has the controllers of the inner one, too.
  bool both = options.memory_limit_bytes && options.cpu_quota && memory && cpu;
  if (both && memory->version == CgroupVersion::kV2 && cpu->version == CgroupVersion::kV2)
    memory = cpu = memory->directory.size() < cpu->directory.size() ? memory : cpu;
  for (const auto& place : {memory, cpu, accounting})
    if (place) remove_stale_groups(*place);
  Groups groups;
  make_memory_group(options, memory, groups);
  make_cpu_group(options, cpu, groups);
  if (groups.error.empty()) make_accounting_group(accounting, groups);
  return groups;
}

void set_usage(Report& report, const rusage& tree, const StartedProgram& program,
               const Supervision& supervision, const Groups& groups) {
  // The launcher prepares and forks the child, so this time belongs to it. Wall time also begins
  // later.
  report.user_ns = std::max<int64_t>(to_ns(tree.ru_utime) - program.user_ns, 0);
  report.system_ns = std::max<int64_t>(to_ns(tree.ru_stime) - program.system_ns, 0);
  report.voluntary_switches = tree.ru_nvcsw;
  report.involuntary_switches = tree.ru_nivcsw;
  report.minor_faults = tree.ru_minflt;
  report.major_faults = tree.ru_majflt;

  const TreeSamples& samples = supervision.samples();
  report.peak_rss_bytes = supervision.peak_rss_bytes();
  uint64_t peak_bytes = static_cast<uint64_t>(tree.ru_maxrss) * 1024;
  std::optional<uint64_t> group_peak_bytes;
  if (groups.memory) group_peak_bytes = groups.memory->peak_bytes();
  if (!samples.saw_children()) {
    report.peak_tree_method = "wait4";
  } else if (group_peak_bytes) {
    report.peak_tree_method = "cgroup";
    peak_bytes = std::max(peak_bytes, *group_peak_bytes);
  } else {
    report.peak_tree_method = "sampled_pss";
    peak_bytes = std::max(peak_bytes, samples.peak_pss_bytes());
  }
  report.peak_tree_bytes = peak_bytes;
  report.processes = samples.greatest_at_once();
  report.processes_started = samples.processes_started();
  report.read_bytes = samples.read_bytes();
  report.written_bytes = samples.written_bytes();
}

// CPU time of the tree that `tree` lacks: the kernel adds a thread's CPU time to its process before
// the thread has left the processor. The last microseconds of each thread that ended are therefore
// missing (about 4 µs a thread). The group includes them. The child's time before it joined the
// group is part of `tree` alone, so the result is too small by this time.
std::optional<int64_t> uncounted_ns(const rusage& tree, const Groups& groups) {
  auto used_ns = groups.counting ? read_used_ns(*groups.counting) : std::nullopt;
  if (!used_ns || *used_ns == 0) return std::nullopt;  // 0: the program could not join
  int64_t counted_ns = to_ns(tree.ru_utime) + to_ns(tree.ru_stime);
  return std::max<int64_t>(static_cast<int64_t>(*used_ns) - counted_ns, 0);
}

// The program and its descendants are pinned to these processors, so all other busy time there,
// from exec to the end of the last of these processes, is foreign time. The usage in the report
// does not include the child's time before exec.
void set_foreign_time(Report& report, const ProcessorTime& time,
                      const ProcessorTime::Reading& before, const ProcessorTime::Reading& after) {
  int64_t own_ns = report.user_ns + report.system_ns + report.uncounted_ns.value_or(0);
  if (before.busy_ns && after.busy_ns) {
    auto busy_ns = static_cast<int64_t>(*after.busy_ns - *before.busy_ns);
    report.foreign_ns = std::max<int64_t>(busy_ns - own_ns, 0);
    report.foreign_source = time.source();
  }
  if (before.steal_ns && after.steal_ns) report.steal_ns = *after.steal_ns - *before.steal_ns;
  if (report.foreign_ns && report.steal_ns) {
    report.processor_span = ProcessorSpan{.busy_before_ns = *before.busy_ns,
                                          .busy_after_ns = *after.busy_ns,
                                          .own_ns = own_ns,
                                          .steal_before_ns = *before.steal_ns,
                                          .steal_after_ns = *after.steal_ns};
  }
}

Report& not_started(Report& report, std::string error) {
  report.outcome.state = State::kNotStarted;
  report.outcome.error = std::move(error);
  return report;
}

}  // namespace

Report measure(const Options& options) {
  Report report;
  report.processors = options.processors.empty() ? online_processors() : options.processors;
  report.uid = options.user ? options.user->uid : geteuid();

  report.started_monotonic_ns = monotonic_ns();
  report.started_realtime_ns = read_clock_ns(CLOCK_REALTIME);

  Descriptor signals = receive_signals();
  if (!signals.valid() || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return not_started(report, start_error("cannot supervise", errno).text);
  }
  ProgramStreams streams;
  if (auto error = streams.open(options)) {
    return not_started(report, error->text);
  }
  Groups groups = make_groups(options);
  if (!groups.error.empty()) return not_started(report, groups.error);
  if (options.memory_limit_bytes) {
    if (!groups.memory) {
      report.memory_limit_method = "watched";
    } else {
      report.memory_limit_method =
          groups.memory->version() == CgroupVersion::kV2 ? "cgroup_v2" : "cgroup_v1";
    }
  }
  if (!options.drop_cache.empty()) {
    report.page_cache = drop_page_cache(options.drop_cache);
    if (!report.page_cache->error.empty()) return not_started(report, report.page_cache->error);
  }

  auto throttled_before_ns = ambient_throttled_ns();
  ProcessorTime processor_time(report.processors);
  ProcessorCounters counters(options.counters);
  StartedProgram program = start_program(options, streams, groups.memberships(), processor_time);
  streams.close();
  if (program.error) return not_started(report, program.error->text);
  Supervision supervision(options, program, signals, groups.memory ? &*groups.memory : nullptr,
                          processor_time);
  supervision.run();
  report.processor = counters.read();

  report.outcome = supervision.outcome();
  report.started_monotonic_ns = program.monotonic_ns;
  report.started_realtime_ns = program.realtime_ns;
  if (supervision.ended_ns() > 0) report.wall_ns = supervision.ended_ns() - program.monotonic_ns;
  report.left_behind = supervision.left_behind();
  rusage tree{};
  getrusage(RUSAGE_CHILDREN, &tree);
  set_usage(report, tree, program, supervision, groups);
  if (auto waited_ns = supervision.samples().run_queue_ns())
    report.run_queue_ns = *waited_ns - std::min(*waited_ns, program.waited_ns);
  report.uncounted_ns = uncounted_ns(tree, groups);
  set_foreign_time(report, processor_time, program.processors, supervision.processors());
  if (groups.cpu) report.throttling = read_throttling(groups.cpu->place());
  auto throttled_after_ns = ambient_throttled_ns();
  if (throttled_before_ns && throttled_after_ns)
    report.ambient_throttled_ns = *throttled_after_ns - *throttled_before_ns;
  return report;
}

}  // namespace launcher
