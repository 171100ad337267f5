// The agent of HotSpot. It is loaded with the virtual machine, and probes from the initialisation
// to the end.

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "../core/probe.hpp"
#include "../core/side_file.hpp"
#include "frame.hpp"
#include "known_loop.hpp"
#include "method_lines.hpp"
#include "virtual_machine.hpp"
#ifdef PROBES_LATE
#include "../core/memory.hpp"
#include "../late/running_threads.hpp"
#endif

namespace probes::hotspot {

namespace {

constexpr int32_t kShort = 1'000, kLong = 3'000;
constexpr int kTimings = 15, kBlocks = 6;
constexpr uint64_t kNever = uint64_t{1} << 50;
// A measurement between fences takes as long as about 50 of HotSpot's short bytecodes.
constexpr uint64_t kLatencyPeriod = 1 << 10;
constexpr const char* kNoEvents = "this JVM does not send the events that the probe needs";
constexpr const char* kNotConfirmed =
    "this build's dispatch table does not count a known loop correctly";

struct Agent {
  Request wanted;
  Process process{"hotspot", "", false};
  Jvmti jvmti;
  JavaVm java_vm;
  VirtualMachine machine;
  Probe probe;
  KnownLoop loop;
  ThunkCosts costs_ns;
  uint64_t environment_of_thread = 0;  // offset of the JNI environment from its JavaThread
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

// As `start`, but all thunks jump.
const char* start_without_copies(Mode mode, uint64_t period) {
  DispatchTable table = agent->machine.table;
  table.registers.safe = 0;
  return agent->probe.start(table, mode, period, sampled_place);
}

// Other threads execute bytecodes too, so only the counts of this thread are compared.
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

// Sets `found` to the additional time of an execution in the loop, in nanoseconds.
const char* time_loop(const char* (*begin)(Mode, uint64_t), Calibration& found) {
  std::array<double, kBlocks> blocks;
  for (double& block : blocks) {
    const double bare_ns = shortest_ns();
    if (const char* error = begin(agent->wanted.mode, kNever)) return error;
    const double probed_ns = shortest_ns();
    if (const char* error = agent->probe.stop()) return error;
    block = (probed_ns - bare_ns) / static_cast<double>(KnownLoop::executions(kLong));
  }
  for (const double block : blocks) found.mean += block / kBlocks;
  for (const double block : blocks)
    found.variance += (block - found.mean) * (block - found.mean) / (kBlocks - 1) / kBlocks;
  return nullptr;
}

// Measures the cost of the probe for an execution: the additional time in the known loop. All its
// bytecodes can be copied, except branches in a virtual machine that also compiles.
const char* calibrate_here() {
  ThunkCosts& costs_ns = agent->costs_ns;
  const Mode mode = agent->wanted.mode;
  if (mode == Mode::kSteps || mode == Mode::kLatency) return nullptr;
  if (const char* error = time_loop(start_without_copies, costs_ns.jump)) return error;
  return time_loop(start, costs_ns.copy);
}

// The JavaThread of a java.lang.Thread, which stores it as a number; 0 if it is unknown.
uint64_t java_thread_of(const Jni& jni, Object thread) {
  void* field = jni.field(jni.class_of(thread), "eetop", "J");
  if (field == nullptr) {
    jni.clear_exception();
    return 0;
  }
  return static_cast<uint64_t>(jni.long_field(thread, field));
}

// The JNI environment is at a fixed offset from the JavaThread, and every thread knows its
// environment.
bool find_threads(const Jni& jni, Object thread) {
  const uint64_t java_thread = java_thread_of(jni, thread);
  agent->environment_of_thread = reinterpret_cast<uintptr_t>(jni.object()) - java_thread;
  thread_state.runtime_thread = java_thread;
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
    return "the probe does not know where this JVM keeps its threads and methods";
  if (const char* error = calibrate_here()) return error;
  const bool timed = agent->wanted.mode == Mode::kLatency;
  if (const char* error = start(agent->wanted.mode, timed ? kLatencyPeriod : agent->wanted.period))
    return error;
  announce(agent->wanted.folder.c_str());
  return "";
}

void on_begin(void*, void* jni, Object thread) {
  const std::string error = begin(Jni(jni), thread);
  if (!error.empty()) write_refusal(agent->wanted, agent->process, error);
}

void on_thread(void*, void* jni, Object) {
#ifdef PROBES_LATE
  enter_new_thread();
#endif
  if (agent->environment_of_thread != 0)
    thread_state.runtime_thread = reinterpret_cast<uintptr_t>(jni) - agent->environment_of_thread;
}

void on_thread_end(void*, void*, Object) {
#ifdef PROBES_LATE
  probes::leave_thread();
#endif
}

void on_end(void*, void*) {
  Probe& probe = agent->probe;
  if (!probe.running()) return;
  const char* error = probe.stop();
  if (error == nullptr && !probe.interposition().restored())
    error = "the dispatch table was not restored";
  if (error != nullptr) {
    write_refusal(agent->wanted, agent->process, error);
    return;
  }
  if (agent->wanted.mode == Mode::kLatency) agent->costs_ns.jump = probe.fences_ns();
  std::set<uint64_t> methods;
  for (const Sample& sample : probe.sampler().samples())
    if (sample.place.code != 0) methods.insert(sample.place.code);
  for (const Call& call : probe.sampler().calls())
    if (call.function != 0) methods.insert(call.function);
  MethodLines lines;
  lines.read(agent->jvmti, methods);
  const PlaceNames names{[](int operation) { return std::string(part_name(operation)); },
                         [&](const Place& place) { return lines.line(place.code, place.offset); },
                         true};
  write_result(agent->wanted, agent->process, probe, agent->machine.names, names, agent->costs_ns);
}

// Returns false if this virtual machine cannot be probed.
bool make_agent(void* vm) {
  const JavaVm java_vm(vm);
  Jvmti jvmti;
  if (!java_vm.jvmti(jvmti)) return false;
  agent = new Agent;
  agent->jvmti = jvmti;
  agent->java_vm = java_vm;
  agent->process.version = property(jvmti, "java.vm.version");
  agent->process.compiles =
      property(jvmti, "java.vm.info").find("interpreted mode") == std::string::npos;
  jvmti.want_lines();
  return true;
}

// Returns whether the virtual machine accepts callbacks for these events.
bool observe(std::initializer_list<Jvmti::Event> events) {
  static const void* const callbacks[] = {
      reinterpret_cast<const void*>(&on_begin), reinterpret_cast<const void*>(&on_end),
      reinterpret_cast<const void*>(&on_thread), reinterpret_cast<const void*>(&on_thread_end)};
  if (agent->jvmti.set_callbacks(callbacks, sizeof callbacks) != 0) return false;
  return std::all_of(events.begin(), events.end(),
                     [](Jvmti::Event event) { return agent->jvmti.enable(event) == 0; });
}

#ifdef PROBES_LATE
// The value of NAME in a text with lines of the form NAME=value.
std::string option(const std::string& options, const std::string& name) {
  const size_t at = ("\n" + options).find("\n" + name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 1;
  return options.substr(begin, options.find('\n', begin) - begin);
}

// Gives the running threads of Java their JavaThreads.
void find_running_threads(const Jni& jni) {
  int32_t count = 0;
  Object* found = nullptr;
  if (agent->jvmti.all_threads(&count, &found) != 0) return;
  for (int32_t at = 0; at < count; ++at) {
    const uint64_t java_thread = java_thread_of(jni, found[at]);
    uint64_t system_thread = 0;
    uint32_t tid = 0;
    if (java_thread != 0 &&
        read_memory(java_thread + agent->machine.system_thread_of_thread, &system_thread,
                    sizeof system_thread) &&
        read_memory(system_thread + agent->machine.number_of_system_thread, &tid, sizeof tid))
      if (ThreadState* state = thread_of(static_cast<pid_t>(tid)))
        state->runtime_thread = java_thread;
  }
  agent->jvmti.deallocate(found);
}

std::string begin_late(const Jni& jni) {
  Object thread = nullptr;
  if (jni.object() == nullptr || agent->jvmti.current_thread(&thread) != 0)
    return "this JVM does not let the probe run in one of its threads";
  if (!observe({Jvmti::kVmDeath, Jvmti::kThreadStart, Jvmti::kThreadEnd})) return kNoEvents;
  if (const char* error = find_virtual_machine(agent->java_vm, agent->machine)) return error;
  if (const char* error = enter_running_threads()) return error;
  find_running_threads(jni);
  return begin(jni, thread);
}

void end_late() {
  for (const Jvmti::Event event : {Jvmti::kVmDeath, Jvmti::kThreadStart, Jvmti::kThreadEnd})
    agent->jvmti.disable(event);
}
#else
constexpr const char* kOptions = "JAVA_TOOL_OPTIONS";

std::string own_option() {
  Dl_info library;
  const bool known = dladdr(reinterpret_cast<const void*>(&own_option), &library) != 0;
  return known ? std::string("-agentpath:") + library.dli_fname : "";
}

// The launchers of Java (java, javac, ...) are linked with libjli. Only they get the option,
// because a process without this preloaded library could not use it.
__attribute__((constructor)) void add_option() {
  if (dlsym(RTLD_DEFAULT, "JLI_Launch") == nullptr || request().folder.empty()) return;
  const char* given = getenv(kOptions);
  const std::string before = given == nullptr ? "" : given, own = own_option();
  if (own.empty() || before.find(own) != std::string::npos) return;
  setenv(kOptions, (before.empty() ? own : own + " " + before).c_str(), 1);
}

// Restores the environment for the program and its children.
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
#endif

}  // namespace

}  // namespace probes::hotspot

#ifdef PROBES_LATE
// JVM TI, "Agent Start-Up (Live phase)". It is called a second time at the end. Options are lines
// of the form NAME=value.
extern "C" __attribute__((visibility("default"))) int Agent_OnAttach(void* vm, char* given, void*) {
  using namespace probes::hotspot;
  constexpr int32_t kReferences = 64;
  const std::string options = given == nullptr ? "" : given;
  if (agent == nullptr && !make_agent(vm)) return 1;
  const Jni jni = agent->java_vm.jni();
  const bool framed = jni.object() != nullptr && jni.push_frame(kReferences);
  if (option(options, "RUNFAIR_PROBE_STEP") == "end") {
    on_end(nullptr, nullptr);
    end_late();
  } else {
    // A runfair that was killed has left its probe here.
    on_end(nullptr, nullptr);
    agent->wanted = probes::request([&](const char* name) { return option(options, name); });
    agent->costs_ns = {};
    const std::string error = begin_late(jni);
    if (!error.empty()) {
      end_late();
      probes::write_refusal(agent->wanted, agent->process, error);
    }
  }
  if (framed) jni.pop_frame();
  return 0;
}
#else
// JVM TI, "Agent Start-Up". A result other than 0 would end the virtual machine.
extern "C" __attribute__((visibility("default"))) int Agent_OnLoad(void* vm, char*, void*) {
  using namespace probes::hotspot;
  remove_option();
  if (agent != nullptr || !make_agent(vm)) return 0;
  agent->wanted = probes::request();
  if (!observe({Jvmti::kVmInit, Jvmti::kVmDeath, Jvmti::kThreadStart}))
    probes::write_refusal(agent->wanted, agent->process, kNoEvents);
  return 0;
}
#endif
