// The agent of HotSpot: loaded with the virtual machine, probes from its initialisation to its end.

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "../core/probe.hpp"
#include "../core/side_file.hpp"
#include "frame.hpp"
#include "known_loop.hpp"
#include "method_lines.hpp"
#include "virtual_machine.hpp"

namespace probes::hotspot {

namespace {

constexpr const char* kOptions = "JAVA_TOOL_OPTIONS";
constexpr int32_t kShort = 1'000, kLong = 3'000;
constexpr int kTimings = 15, kBlocks = 6;
constexpr uint64_t kNever = uint64_t{1} << 50;
constexpr const char* kNotConfirmed =
    "this build's dispatch table does not count a known loop right";

struct Agent {
  Request wanted = request();
  Process process{"hotspot", "", false};
  Jvmti jvmti;
  JavaVm java_vm;
  VirtualMachine machine;
  Probe probe;
  KnownLoop loop;
  Calibration calibration_ns{0, 0};
  uint64_t environment_of_thread = 0;  // from a JavaThread to its JNI environment
};
Agent* agent;

std::string property(const Jvmti& jvmti, const char* name) {
  char* value = nullptr;
  if (jvmti.system_property(name, &value) != 0 || value == nullptr) return "";
  const std::string made = value;
  jvmti.deallocate(value);
  return made;
}

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

const char* start(Mode mode, uint64_t period) {
  return agent->probe.start(agent->machine.table, mode, period, sampled_place);
}

// Other threads execute bytecodes too, so only this thread's counts are compared.
const char* confirm() {
  for (const int32_t times : {kShort, kLong}) {
    if (const char* error = start(Mode::kCount, 0)) return error;
    agent->loop.run(times);
    const char* error = agent->probe.stop();
    if (error != nullptr) return error;
    uint64_t expected[kOperations];
    KnownLoop::expected(times, expected);
    if (memcmp(expected, thread_state.counts, sizeof expected) != 0) return kNotConfirmed;
  }
  return agent->probe.interposition().restored() ? nullptr : "the dispatch table was not restored";
}

double shortest_ns() {
  uint64_t shortest = ~uint64_t{0};
  for (int at = 0; at < kTimings; ++at) {
    const uint64_t before_ns = now_ns();
    agent->loop.run(kLong);
    shortest = std::min(shortest, now_ns() - before_ns);
  }
  return static_cast<double>(shortest);
}

// What the probe adds to an execution: for kLatency what its bracket reads when nothing is in it,
// in ticks until the end; otherwise by how much the loop takes longer.
const char* calibrate_here() {
  const Mode mode = agent->wanted.mode;
  if (mode == Mode::kSteps) return nullptr;
  if (mode == Mode::kLatency)
    return calibrate(mode, agent->calibration_ns) ? nullptr : "no room for code to calibrate";
  std::array<double, kBlocks> blocks;
  for (double& block : blocks) {
    const double bare_ns = shortest_ns();
    if (const char* error = start(mode, kNever)) return error;
    const double probed_ns = shortest_ns();
    if (const char* error = agent->probe.stop()) return error;
    block = (probed_ns - bare_ns) / static_cast<double>(KnownLoop::executions(kLong));
  }
  double& mean = agent->calibration_ns.mean;
  for (const double block : blocks) mean += block / kBlocks;
  for (const double block : blocks)
    agent->calibration_ns.variance += (block - mean) * (block - mean) / (kBlocks - 1) / kBlocks;
  return nullptr;
}

// A thread's JavaThread is the number in its java.lang.Thread; from there it is a fixed way to the
// JNI environment, which is known in every thread.
bool find_threads(const Jni& jni, Object thread) {
  void* field = jni.field(jni.class_of(thread), "eetop", "J");
  if (field == nullptr) {
    jni.clear_exception();
    return false;
  }
  const auto java_thread = static_cast<uint64_t>(jni.long_field(thread, field));
  agent->environment_of_thread = reinterpret_cast<uintptr_t>(jni.object()) - java_thread;
  begin_java_thread(java_thread);
  return java_thread != 0;
}

std::string begin(const Jni& jni, Object thread) {
  if (const char* error = find_virtual_machine(agent->java_vm, agent->machine)) return error;
  std::string unknown =
      unknown_bytecode(agent->wanted, agent->machine.names, "HotSpot " + agent->process.version);
  if (!unknown.empty()) return unknown;
  use_frames(agent->machine, agent->probe.interposition(), !agent->process.compiles);
  if (!agent->loop.define(jni)) return "this JVM did not define the class of the known loop";
  if (const char* error = confirm()) return error;
  const bool known = find_threads(jni, thread) &&
                     code_size_of(address_of(agent->loop.method())) == KnownLoop::kCodeSize;
  if (samples(agent->wanted.mode) && !known)
    return "this JVM keeps its threads and methods in places that the probe does not know";
  if (const char* error = calibrate_here()) return error;
  const char* error = start(agent->wanted.mode, agent->wanted.period);
  return error == nullptr ? "" : error;
}

void on_begin(void*, void* jni, Object thread) {
  const std::string error = begin(Jni(jni), thread);
  if (!error.empty()) write_refusal(agent->wanted, agent->process, error);
}

void on_thread(void*, void* jni, Object) {
  if (agent->environment_of_thread != 0)
    begin_java_thread(reinterpret_cast<uintptr_t>(jni) - agent->environment_of_thread);
}

void on_end(void*, void*) {
  Probe& probe = agent->probe;
  if (!probe.running()) return;
  const char* error = probe.stop();
  if (error == nullptr && !probe.interposition().restored())
    error = "the dispatch table is not as it was found";
  if (error != nullptr) {
    write_refusal(agent->wanted, agent->process, error);
    return;
  }
  if (agent->wanted.mode == Mode::kLatency) {
    agent->calibration_ns.mean /= probe.ticks_per_ns();
    agent->calibration_ns.variance /= probe.ticks_per_ns() * probe.ticks_per_ns();
  }
  std::set<uint64_t> methods;
  for (const Sample& sample : probe.sampler().samples())
    if (sample.place.code != 0) methods.insert(sample.place.code);
  MethodLines lines;
  lines.read(agent->jvmti, methods);
  const PlaceNames names{[](int operation) { return std::string(part_name(operation)); },
                         [&](const Place& place) { return lines.line(place.code, place.offset); }};
  write_result(agent->wanted, agent->process, probe, agent->machine.names, names,
               agent->calibration_ns);
}

std::string own_option() {
  Dl_info library;
  const bool known = dladdr(reinterpret_cast<const void*>(&own_option), &library) != 0;
  return known ? std::string("-agentpath:") + library.dli_fname : "";
}

// The launchers of Java (java, javac, ...) are linked with libjli. Only they get the option, so a
// process into which this library was not preloaded never meets it.
__attribute__((constructor)) void add_option() {
  if (dlsym(RTLD_DEFAULT, "JLI_Launch") == nullptr || request().folder.empty()) return;
  const char* given = getenv(kOptions);
  const std::string before = given == nullptr ? "" : given, own = own_option();
  if (own.empty() || before.find(own) != std::string::npos) return;
  setenv(kOptions, (before.empty() ? own : own + " " + before).c_str(), 1);
}

// The program and its children see the environment as it was given.
void remove_option() {
  const char* given = getenv(kOptions);
  const std::string own = own_option();
  if (given == nullptr || strncmp(given, own.c_str(), own.size()) != 0) return;
  const std::string rest = given + own.size();
  if (rest.empty())
    unsetenv(kOptions);
  else
    setenv(kOptions, rest.c_str() + 1, 1);
}

}  // namespace

}  // namespace probes::hotspot

// JVM TI, "Agent Start-Up". Anything but 0 would end the virtual machine.
extern "C" __attribute__((visibility("default"))) int Agent_OnLoad(void* vm, char*, void*) {
  using namespace probes::hotspot;
  remove_option();
  const JavaVm java_vm(vm);
  Jvmti jvmti;
  if (agent != nullptr || !java_vm.jvmti(jvmti)) return 0;
  agent = new Agent;
  agent->jvmti = jvmti;
  agent->java_vm = java_vm;
  agent->process.version = property(jvmti, "java.vm.version");
  agent->process.compiles =
      property(jvmti, "java.vm.info").find("interpreted mode") == std::string::npos;
  const void* const callbacks[] = {reinterpret_cast<const void*>(&on_begin),
                                   reinterpret_cast<const void*>(&on_end),
                                   reinterpret_cast<const void*>(&on_thread)};
  jvmti.want_lines();
  if (jvmti.set_callbacks(callbacks, sizeof callbacks) != 0 || jvmti.enable(Jvmti::kVmInit) != 0 ||
      jvmti.enable(Jvmti::kVmDeath) != 0 || jvmti.enable(Jvmti::kThreadStart) != 0)
    probes::write_refusal(agent->wanted, agent->process, "this JVM does not send the events");
  return 0;
}
