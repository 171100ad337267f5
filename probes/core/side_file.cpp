#include "side_file.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <locale>
#include <map>
#include <sstream>
#include <tuple>

#include "measurement.hpp"

namespace probes {

namespace {

constexpr uint64_t kSamplingPeriodNs = 1'003'009;  // about 1 kHz, not in step with periodic work
constexpr uint64_t kLatencyPeriod = 1 << 7;
constexpr uint64_t kStepsPeriod = 1 << 14;

std::string text(const std::string& given) {
  std::string made = "\"";
  for (const char each : given) {
    if (each == '"' || each == '\\') {
      made += '\\';
      made += each;
    } else if (static_cast<unsigned char>(each) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(each));
      made += escape;
    } else {
      made += each;
    }
  }
  return made + '"';
}

std::string text(uint64_t number) { return std::to_string(number); }

// The C library's functions would write a decimal comma in the locales that have one: a JVM uses
// the locale of its user.
std::string text(double number) {
  std::ostringstream made;
  made.imbue(std::locale::classic());
  made << std::setprecision(17) << number;
  return made.str();
}

template <typename Value>
std::string member(const char* name, const Value& value) {
  return text(std::string(name)) + ":" + text(value);
}

// The members of an object or the elements of an array, separated by commas.
class Row {
 public:
  void add(const std::string& one) { made_ += (made_.empty() ? "" : ",") + one; }
  std::string object() const { return "{" + made_ + "}"; }
  std::string array() const { return "[" + made_ + "]"; }

 private:
  std::string made_;
};

std::string executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<size_t>(length));
}

Row head(const Request& request, const Process& process) {
  Row row;
  row.add(member("schema_version", uint64_t{1}));
  row.add(member("runtime", process.runtime));
  row.add(member("version", process.version));
  row.add(member("executable", executable()));
  row.add(member("pid", static_cast<uint64_t>(getpid())));
  row.add(member("mode", request.mode_name));
  return row;
}

std::string duration(const Calibration& found_ns) {
  Row row;
  row.add(member("mean_ns", found_ns.mean));
  row.add(member("deviation_ns", std::sqrt(found_ns.variance)));
  return row.object();
}

std::string bytecodes(const OperationNames& names, const Totals& totals,
                      const Interposition& interposition) {
  Row rows;
  for (size_t at = 0; at < names.size(); ++at) {
    if (names[at].name.empty() || totals.counts[at] == 0) continue;
    Row row;
    row.add(member("name", names[at].name));
    row.add(member("family", names[at].family));
    row.add(member("executions", totals.counts[at]));
    const bool copied = interposition.copies(static_cast<int>(at));
    row.add("\"copied\":" + std::string(copied ? "true" : "false"));
    rows.add(row.object());
  }
  return rows.array();
}

std::string pairs(const OperationNames& names, const Totals& totals) {
  Row rows;
  for (size_t first = 0; first < names.size() && !totals.pairs.empty(); ++first) {
    for (size_t second = 0; second < names.size(); ++second) {
      const uint64_t count = totals.pairs[first * kOperations + second];
      if (count == 0 || names[first].name.empty() || names[second].name.empty()) continue;
      Row row;
      row.add(member("first", names[first].name));
      row.add(member("second", names[second].name));
      row.add(member("executions", count));
      rows.add(row.object());
    }
  }
  return rows.array();
}

std::string measured(const OperationNames& names, double unit) {
  Row rows;
  for (size_t at = 0; at < names.size(); ++at) {
    const Moments& moments = moments_of(static_cast<int>(at));
    if (names[at].name.empty() || moments.count + moments.nested + moments.interrupted == 0)
      continue;
    Row row;
    row.add(member("bytecode", names[at].name));
    row.add(member("count", moments.count));
    row.add(member("sum", static_cast<double>(moments.sum) * unit));
    row.add(member("sum_of_squares", static_cast<double>(moments.sum_of_squares) * unit * unit));
    row.add(member("nested", moments.nested));
    row.add(member("interrupted", moments.interrupted));
    rows.add(row.object());
  }
  return rows.array();
}

std::string calls(const Sampler& sampler, const PlaceNames& places) {
  Row rows;
  for (const Call& call : sampler.calls()) {
    SourceLine line;
    if (call.function != 0) line = places.line({call.function, 0, 0});
    Row row;
    row.add(member("path", line.path));
    row.add(member("function", line.function));
    row.add(member("caller", uint64_t{call.caller}));
    rows.add(row.object());
  }
  return rows.array();
}

std::string sampling(const Sampler& sampler, const OperationNames& names,
                     const PlaceNames& places) {
  // Merges the instructions of a line.
  using Key = std::tuple<std::string, std::string, std::string, std::string, int, uint32_t>;
  struct Taken {
    uint64_t count = 0;
    std::string instants;
  };
  std::map<Key, Taken> counts;
  std::vector<Taken*> taken_of;
  for (const Sample& sample : sampler.samples()) {
    const int operation = sample.place.operation;
    const bool inside = operation < kOperations;
    const SourceLine line = sample.place.code == 0 ? SourceLine{} : places.line(sample.place);
    const std::string name = inside ? names[static_cast<size_t>(operation)].name : "";
    const std::string part = inside ? "interpreter" : places.part(operation);
    Taken& taken = counts[{name, part, line.path, line.function, line.line, sample.caller}];
    taken.count += sample.count;
    taken_of.push_back(&taken);
  }
  for (const Instant& instant : sampler.instants()) {
    std::string& text = taken_of[instant.sample]->instants;
    text += (text.empty() ? "" : ",") + std::to_string(instant.monotonic_ns);
  }
  Row rows;
  for (const auto& [key, taken] : counts) {
    const auto& [name, part, path, function, line, caller] = key;
    Row row;
    row.add("\"bytecode\":" + (name.empty() ? "null" : text(name)));
    row.add(member("part", part));
    row.add(member("path", path));
    row.add(member("function", function));
    row.add("\"line\":" + (line <= 0 ? "null" : std::to_string(line)));
    row.add("\"column\":null,\"end_column\":null");
    if (places.callers) row.add(member("caller", uint64_t{caller}));
    row.add(member("samples", taken.count));
    row.add("\"instants_ns\":[" + taken.instants + "]");
    rows.add(row.object());
  }
  Row row;
  row.add(member("source", std::string(sampler.source())));
  row.add(member("period_ns", kSamplingPeriodNs));
  row.add(member("period_cycles", sampler.period_cycles()));
  row.add(member("lost", sampler.lost()));
  if (places.callers) row.add("\"calls\":" + calls(sampler, places));
  row.add("\"places\":" + rows.array());
  return row.object();
}

// The marker of this process; empty if there is none.
char announced[4096];

long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void write(const Request& request, const std::string& record) {
  const std::string name =
      request.folder + "/" + std::to_string(getpid()) + "-" + std::to_string(now_ns());
  FILE* file = fopen((name + ".part").c_str(), "we");
  const bool written =
      file != nullptr && fwrite(record.data(), 1, record.size(), file) == record.size();
  const bool closed = file != nullptr && fclose(file) == 0;
  if (!written || !closed || rename((name + ".part").c_str(), (name + ".json").c_str()) != 0)
    fprintf(stderr, "runfair: the probe's results are lost: %s cannot be written\n", name.c_str());
  else
    withdraw();
}

}  // namespace

void announce(const char* folder) {
  // A program that replaces this one by `exec` has the same process ID, and its own marker.
  snprintf(announced, sizeof announced, "%s/%d-%lld.begun", folder, static_cast<int>(getpid()),
           now_ns());
  const int made = open(announced, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (made >= 0) close(made);
}

void withdraw() {
  if (announced[0] != '\0') unlink(announced);
  announced[0] = '\0';
}

Request request() {
  return request([](const char* name) {
    const char* value = getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

Request request(const std::function<std::string(const char* name)>& variable) {
  Request made{variable("RUNFAIR_PROBE_FOLDER"), variable("RUNFAIR_PROBE_MODE"), Mode::kMark,
               kSamplingPeriodNs, variable("RUNFAIR_PROBE_BYTECODES")};
  if (made.mode_name == "count") {
    made.mode = Mode::kCount;
  } else if (made.mode_name == "pairs") {
    made.mode = Mode::kPairs;
  } else if (made.mode_name == "profile") {
    made.mode = Mode::kProfile;
  } else if (made.mode_name == "latency") {
    made.mode = Mode::kLatency;
    made.period = kLatencyPeriod;
  } else if (made.mode_name == "instructions") {
    made.mode = Mode::kSteps;
    made.period = kStepsPeriod;
  }
  return made;
}

std::string unknown_bytecode(const Request& request, const OperationNames& names,
                             const std::string& runtime) {
  for (size_t begin = 0; begin < request.bytecodes.size();) {
    const size_t end = std::min(request.bytecodes.find(',', begin), request.bytecodes.size());
    const std::string wanted = request.bytecodes.substr(begin, end - begin);
    begin = end + 1;
    bool known = wanted.empty();
    for (const OperationName& each : names) known = known || each.name == wanted;
    if (!known) return "no bytecode " + wanted + " in " + runtime;
  }
  return "";
}

void write_result(const Request& request, const Process& process, const Probe& probe,
                  const OperationNames& names, const PlaceNames& places,
                  const ThunkCosts& costs_ns) {
  Row row = head(request, process);
  const Totals totals = total_counts();
  const bool timed = request.mode == Mode::kLatency;
  row.add("\"compiles\":" + std::string(process.compiles ? "true" : "false"));
  row.add(member("cpu_ns", probe.cpu_ns()));
  row.add("\"bytecodes\":" + bytecodes(names, totals, probe.interposition()));
  row.add("\"calibration\":" + duration(costs_ns.jump));
  row.add("\"copy_calibration\":" + duration(costs_ns.copy));
  row.add("\"cycle\":" + duration(probe.cycle_ns()));
  if (counts_pairs(request.mode)) row.add("\"pairs\":" + pairs(names, totals));
  if (timed || request.mode == Mode::kSteps)
    row.add("\"measured\":" + measured(names, timed ? 1 / probe.ticks_per_ns() : 1));
  if (samples(request.mode)) row.add("\"sampling\":" + sampling(probe.sampler(), names, places));
  write(request, row.object());
}

void write_refusal(const Request& request, const Process& process, const std::string& reason) {
  Row row = head(request, process);
  row.add(member("refused", reason));
  write(request, row.object());
}

}  // namespace probes
