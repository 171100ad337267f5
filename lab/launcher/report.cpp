#include "report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "json.hpp"

namespace launcher {
namespace {

constexpr int64_t kSchemaVersion = 1;

const char* name_of(State state) {
  switch (state) {
    case State::kExited:
      return "exited";
    case State::kSignalled:
      return "signalled";
    case State::kTimedOut:
      return "timed_out";
    case State::kMemoryExceeded:
      return "memory_exceeded";
    case State::kEndedByLab:
      return "ended_by_lab";
    case State::kNotStarted:
      return "not_started";
  }
  return "";
}

JsonObject json_of(const Outcome& outcome) {
  JsonObject object;
  object.add("state", name_of(outcome.state));
  object.add("exit_status", outcome.exit_status);
  object.add("signal", outcome.signal);
  object.add("error", outcome.error);
  return object;
}

JsonObject json_of(const PageCache& cache) {
  JsonObject object;
  object.add("asked", cache.asked_bytes);
  object.add("resident_before", cache.resident_before_bytes);
  object.add("resident_after", cache.resident_after_bytes);
  return object;
}

JsonObject json_of(const CounterReading& reading) {
  JsonObject object;
  object.add("value", reading.value);
  object.add("enabled_ns", reading.enabled_ns);
  object.add("running_ns", reading.running_ns);
  return object;
}

JsonObject json_of(const ProcessorCounts& counts) {
  JsonObject object;
  object.add("cycles", json_of(counts.cycles));
  object.add("instructions", json_of(counts.instructions));
  object.add("user_only", counts.user_only);
  return object;
}

JsonObject json_of(const ProcessorSpan& span) {
  JsonObject object;
  object.add("busy_before_ns", span.busy_before_ns);
  object.add("busy_after_ns", span.busy_after_ns);
  object.add("own_ns", span.own_ns);
  object.add("steal_before_ns", span.steal_before_ns);
  object.add("steal_after_ns", span.steal_after_ns);
  return object;
}

}  // namespace

std::string Report::json() const {
  std::optional<uint64_t> throttled_ns, throttled_periods, nr_periods;
  if (throttling) {
    throttled_ns = throttling->throttled_ns;
    throttled_periods = throttling->throttled_periods;
    nr_periods = throttling->periods;
  }

  JsonObject object;
  object.add("schema_version", kSchemaVersion);
  object.add("outcome", json_of(outcome));
  object.add("started_monotonic_ns", started_monotonic_ns);
  object.add("started_realtime_ns", started_realtime_ns);
  object.add("wall_ns", wall_ns);
  object.add("user_ns", user_ns);
  object.add("system_ns", system_ns);
  object.add("cpu_ns", user_ns + system_ns);
  object.add("peak_rss_bytes", peak_rss_bytes);
  object.add("peak_tree_bytes", peak_tree_bytes);
  object.add("peak_tree_method", peak_tree_method);
  object.add("processes", processes);
  object.add("processes_started", processes_started);
  object.add("voluntary_switches", voluntary_switches);
  object.add("involuntary_switches", involuntary_switches);
  object.add("minor_faults", minor_faults);
  object.add("major_faults", major_faults);
  object.add("read_bytes", read_bytes);
  object.add("written_bytes", written_bytes);
  object.add("run_queue_ns", run_queue_ns);
  object.add("left_behind", left_behind);
  object.add("foreign_ns", foreign_ns);
  object.add("uncounted_ns", uncounted_ns);
  object.add("foreign_source", foreign_source);
  object.add("steal_ns", steal_ns);
  if (processor_span) {
    object.add("processor_span", json_of(*processor_span));
  } else {
    object.add_null("processor_span");
  }
  object.add("processors", processors);
  object.add("uid", uid);
  object.add("throttled_ns", throttled_ns);
  object.add("throttled_periods", throttled_periods);
  object.add("nr_periods", nr_periods);
  object.add("ambient_throttled_ns", ambient_throttled_ns);
  object.add("memory_limit_method", memory_limit_method);
  if (page_cache) {
    object.add("page_cache", json_of(*page_cache));
  } else {
    object.add_null("page_cache");
  }
  if (processor) {
    object.add("processor", json_of(*processor));
  } else {
    object.add_null("processor");
  }
  object.add("launcher_cpu_ns", launcher_cpu_ns);
  return object.text() + "\n";
}

int ReportFile::open(const std::string& path) {
  path_ = path;
  temporary_path_ = path + ".tmp";
  file_ =
      Descriptor(::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  return file_.valid() ? 0 : errno;
}

int ReportFile::publish(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t written = write(file_.number(), text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    at += static_cast<size_t>(written);
  }
  if (fsync(file_.number()) != 0 || rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return errno;
  file_.close();
  return 0;
}

ReportFile::~ReportFile() {
  if (file_.valid()) unlink(temporary_path_.c_str());
}

}  // namespace launcher
