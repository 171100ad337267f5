// The addon that Node loads: the probe of this process, from its preloaded module to its `exit`
// event.

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "../core/probe.hpp"
#include "../core/side_file.hpp"
#include "../core/termination.hpp"
#include "code_lines.hpp"
#include "engine.hpp"
#include "entrance.hpp"
#include "frame.hpp"

// Functions of Node-API, which Node exports. Their types never change.
using Environment = struct EnvironmentOfNode*;
using Value = struct ValueOfNode*;
using Arguments = struct ArgumentsOfNode*;
using Callback = Value (*)(Environment, Arguments);
#define PROBES_NODE extern "C" __attribute__((weak))
PROBES_NODE int napi_create_function(Environment, const char*, size_t, Callback, void*, Value*);
PROBES_NODE int napi_set_named_property(Environment, Value, const char*, Value);
PROBES_NODE int napi_get_cb_info(Environment, Arguments, size_t*, Value*, Value*, void**);
PROBES_NODE int napi_get_value_string_utf8(Environment, Value, char*, size_t, size_t*);
PROBES_NODE int napi_get_value_uint32(Environment, Value, uint32_t*);
PROBES_NODE int napi_get_value_bool(Environment, Value, bool*);
PROBES_NODE int napi_get_boolean(Environment, bool, Value*);
PROBES_NODE int napi_get_undefined(Environment, Value*);
PROBES_NODE int napi_create_uint32(Environment, uint32_t, Value*);
PROBES_NODE int napi_call_function(Environment, Value, Value, size_t, const Value*, Value*);
PROBES_NODE int napi_get_and_clear_last_exception(Environment, Value*);
PROBES_NODE int napi_add_env_cleanup_hook(Environment, void (*)(void*), void*);

namespace probes::v8 {

namespace {

// Too short for V8 to compile. Each execution uses a new function.
constexpr uint32_t kShort = 100, kLong = 300;
constexpr uint64_t kMostOfAnIteration = 16;
constexpr int kAttempts = 3, kTimings = 15, kBlocks = 6;
constexpr uint64_t kNever = uint64_t{1} << 50;

// A worker thread, with its own table.
struct Worker {
  Isolate isolate;
  Interposition interposition;
};

struct Session {
  Request wanted = request();
  Process process{"node", "", true};
  Engine engine = {};
  DispatchTable table;
  OperationNames names;
  Probe probe;
  Calibration calibration_ns{0, 0};
};
Session* session;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
std::vector<Worker*> workers;
int unprobed_workers;
const char* why_unprobed;

constexpr int kOldestNode = 20;

class KnownLoop {
 public:
  KnownLoop(Environment environment, Value make) : environment_(environment), make_(make) {}

  // Makes a new function ready to run; returns false if this is impossible.
  bool prepare(uint32_t times) {
    Value name;
    napi_get_undefined(environment_, &self_);
    return napi_create_uint32(environment_, number_++, &name) == 0 &&
           napi_call_function(environment_, self_, make_, 1, &name, &function_) == 0 &&
           napi_create_uint32(environment_, times, &times_) == 0;
  }
  void run() {
    Value result;
    napi_call_function(environment_, self_, function_, 1, &times_, &result);
  }

 private:
  Environment environment_;
  Value make_, self_ = nullptr, function_ = nullptr, times_ = nullptr;
  uint32_t number_ = 0;
};

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

const char* start(Mode mode, uint64_t period) {
  return session->probe.start(session->table, mode, period, sampled_place);
}

using Counts = std::array<uint64_t, kOperations>;

const char* count(KnownLoop& loop, uint32_t times, Counts& counts) {
  if (!loop.prepare(times)) return "this process does not allow functions made from text";
  if (const char* error = start(Mode::kCount, 0)) return error;
  loop.run();
  const char* error = session->probe.stop();
  std::copy(std::begin(thread_state.counts), std::end(thread_state.counts), counts.begin());
  return error;
}

// The counts of two lengths of the loop must differ by the additional iterations.
bool agrees(const Counts& few, const Counts& many) {
  constexpr uint64_t kMore = kLong - kShort;
  uint64_t sum = 0;
  for (size_t at = 0; at < few.size(); ++at) {
    const uint64_t more = many[at] - few[at];
    const std::string& name = session->names[at].name;
    if (more % kMore != 0 || ((name == "JumpLoop" || name == "Add") && more != kMore)) return false;
    sum += more;
  }
  return sum >= 2 * kMore && sum <= kMore * kMostOfAnIteration;
}

const char* confirm(KnownLoop& loop) {
  for (int at = 0; at < kAttempts; ++at) {
    Counts few, many;
    if (const char* error = count(loop, kShort, few)) return error;
    if (const char* error = count(loop, kLong, many)) return error;
    if (!session->probe.interposition().restored()) return "the dispatch table was not restored";
    if (agrees(few, many)) return nullptr;
  }
  return "the interpreter's dispatch table does not count a known loop correctly (is every function"
         " compiled at once?)";
}

double shortest_ns(KnownLoop& loop) {
  uint64_t shortest = ~uint64_t{0};
  for (int at = 0; at < kTimings && loop.prepare(kLong); ++at) {
    const uint64_t before_ns = now_ns();
    loop.run();
    shortest = std::min(shortest, now_ns() - before_ns);
  }
  return static_cast<double>(shortest);
}

// As in the other adapters: the additional time of the loop.
const char* calibrate_here(KnownLoop& loop) {
  const Mode mode = session->wanted.mode;
  if (mode == Mode::kSteps || mode == Mode::kLatency) return nullptr;
  Counts counts;
  if (const char* error = count(loop, kLong, counts)) return error;
  uint64_t executions = 0;
  for (const uint64_t each : counts) executions += each;
  std::array<double, kBlocks> blocks;
  for (double& block : blocks) {
    const double bare_ns = shortest_ns(loop);
    if (const char* error = start(mode, kNever)) return error;
    const double probed_ns = shortest_ns(loop);
    if (const char* error = session->probe.stop()) return error;
    block = (probed_ns - bare_ns) / static_cast<double>(executions);
  }
  double& mean = session->calibration_ns.mean;
  for (const double block : blocks) mean += block / kBlocks;
  for (const double block : blocks)
    session->calibration_ns.variance += (block - mean) * (block - mean) / (kBlocks - 1) / kBlocks;
  return nullptr;
}

std::string begin(KnownLoop& loop) {
  if (atoi(session->process.version.c_str()) < kOldestNode)
    return "not supported: the probe knows Node from 20 on";
  if (const char* error = find_engine(session->engine)) return error;
  use_engine(session->engine);
  const Isolate isolate = session->engine.current();
  session->table = table_of(session->engine, isolate);
  session->names = names_of(session->engine, session->table);
  std::string unknown =
      unknown_bytecode(session->wanted, session->names, "Node " + session->process.version);
  if (!unknown.empty()) return unknown;
  if (const char* error = confirm(loop)) return error;
  if (const char* error = calibrate_here(loop)) return error;
  begin_isolate(isolate, session->probe.interposition());
  if (samples(session->wanted.mode)) observe_code(session->engine, isolate);
  if (const char* error = start(session->wanted.mode, session->wanted.period)) return error;
  announce(session->wanted.folder.c_str());
  return "";
}

Value on_begin(Environment environment, Arguments arguments) {
  size_t count = 3;
  Value given[3], result;
  char version[64] = {};
  napi_get_cb_info(environment, arguments, &count, given, nullptr, nullptr);
  session = new Session;
  napi_get_value_string_utf8(environment, given[1], version, sizeof version, nullptr);
  napi_get_value_bool(environment, given[2], &session->process.compiles);
  session->process.version = version;
  KnownLoop loop(environment, given[0]);
  const std::string error = begin(loop);
  Value exception;
  napi_get_and_clear_last_exception(environment, &exception);
  if (!error.empty()) write_refusal(session->wanted, session->process, error);
  napi_get_boolean(environment, error.empty(), &result);
  return result;
}

// Called in the worker's own thread, after its program and before the isolate and its table are
// freed.
void worker_ends(void* given) {
  auto* worker = static_cast<Worker*>(given);
  pthread_mutex_lock(&lock);
  if (worker->interposition.attached()) worker->interposition.detach();
  worker->interposition.release();
  workers.erase(std::remove(workers.begin(), workers.end(), worker), workers.end());
  pthread_mutex_unlock(&lock);
  end_isolate();
  delete worker;
}

Value on_begin_worker(Environment environment, Arguments) {
  pthread_mutex_lock(&lock);
  if (session != nullptr && session->probe.running()) {
    auto* worker = new Worker{session->engine.current(), {}};
    const DispatchTable table = table_of(session->engine, worker->isolate);
    begin_isolate(worker->isolate, worker->interposition);
    workers.push_back(worker);
    napi_add_env_cleanup_hook(environment, worker_ends, worker);
    if (const char* error = worker->interposition.attach(table, session->probe.mode())) {
      ++unprobed_workers;
      why_unprobed = error;
    } else if (samples(session->probe.mode())) {
      observe_code(session->engine, worker->isolate);
    }
  }
  pthread_mutex_unlock(&lock);
  return nullptr;
}

Value on_end(Environment, Arguments) {
  pthread_mutex_lock(&lock);
  for (Worker* worker : workers) worker->interposition.detach();
  workers.clear();
  if (unprobed_workers != 0)
    fprintf(stderr,
            "runfair: %d worker thread%s ran without the probe, so bytecodes are missing: %s\n",
            unprobed_workers, unprobed_workers == 1 ? "" : "s", why_unprobed);
  pthread_mutex_unlock(&lock);
  Probe& probe = session->probe;
  const char* error = probe.stop();
  if (error == nullptr && !probe.interposition().restored())
    error = "the dispatch table was not restored";
  if (error != nullptr) {
    write_refusal(session->wanted, session->process, error);
    return nullptr;
  }
  if (samples(session->wanted.mode)) ignore_code(session->engine, session->engine.current());
  if (session->wanted.mode == Mode::kLatency) session->calibration_ns = probe.fences_ns();
  const PlaceNames names{[](int operation) { return std::string(part_name(operation)); },
                         [](const Place& place) { return line_of(place.code); }, true};
  write_result(session->wanted, session->process, probe, session->names, names,
               {session->calibration_ns, {0, 0}});
  return nullptr;
}

int signal_given(Environment environment, Arguments arguments) {
  size_t count = 1;
  Value given;
  uint32_t number = 0;
  napi_get_cb_info(environment, arguments, &count, &given, nullptr, nullptr);
  napi_get_value_uint32(environment, given, &number);
  return static_cast<int>(number);
}

// Watches a signal for which Node has installed its own handler.
Value on_watch(Environment environment, Arguments arguments) {
  repeat_until_heard(signal_given(environment, arguments));
  return nullptr;
}
Value on_heard(Environment environment, Arguments arguments) {
  heard(signal_given(environment, arguments));
  return nullptr;
}
Value on_hand_over(Environment environment, Arguments arguments) {
  hand_over(signal_given(environment, arguments));
  return nullptr;
}

}  // namespace

}  // namespace probes::v8

extern "C" __attribute__((visibility("default"))) Value
napi_register_module_v1(Environment environment, Value exports) {
  using namespace probes::v8;
  remove_option();
  struct {
    const char* name;
    Callback function;
  } const functions[] = {{"begin", on_begin}, {"beginWorker", on_begin_worker},
                         {"end", on_end},     {"watch", on_watch},
                         {"heard", on_heard}, {"handOver", on_hand_over}};
  for (const auto& each : functions) {
    Value made;
    napi_create_function(environment, each.name, __builtin_strlen(each.name), each.function,
                         nullptr, &made);
    napi_set_named_property(environment, exports, each.name, made);
  }
  return exports;
}
