#pragma once

#include <array>
#include <functional>
#include <string>

#include "calibration.hpp"
#include "probe.hpp"

namespace probes {

// A process and its runtime, as the side file names them.
struct Process {
  std::string runtime;
  std::string version;
  // The runtime also compiles: counts are of what its interpreter dispatched.
  bool compiles = false;
};

struct OperationName {
  std::string name;    // empty: no operation has this number
  std::string family;  // that a rewritten operation stands for, or its own name
};
using OperationNames = std::array<OperationName, kOperations>;

struct SourceLine {
  std::string path;  // empty: not known
  std::string function;
  int line = 0;  // 0: not known
};

// What a sample's place says: the name of a part of the runtime outside the interpreter, and the
// source line inside.
struct PlaceNames {
  std::function<std::string(int operation)> part;
  std::function<SourceLine(const Place& place)> line;
};

// What a `--mode` asks for, from variables (RUNFAIR_PROBE_...) as all adapters read them.
struct Request {
  std::string folder;     // empty: no probe is wanted
  std::string mode_name;  // as the lab calls it
  Mode mode;
  uint64_t period;  // as Probe::start wants it
  std::string bytecodes;
};
Request request(const std::function<std::string(const char* name)>& variable);
Request request();  // from the environment

// Why the asked bytecodes cannot be probed, because one of them does not exist; empty if they all
// do. `runtime` is its name and version.
std::string unknown_bytecode(const Request& request, const OperationNames& names,
                             const std::string& runtime);

// Says in the folder that this process is being probed, until it writes its file. If it never does,
// the lab knows that results are missing. Usable in the child of a fork.
void announce(const char* folder);

// Writes the file of this process: what a stopped probe found, or why it was refused. The program
// matters more than its probe: if the file cannot be written, a line on standard error says so.
void write_result(const Request& request, const Process& process, const Probe& probe,
                  const OperationNames& names, const PlaceNames& places,
                  const Calibration& calibration_ns);
void write_refusal(const Request& request, const Process& process, const std::string& reason);

}  // namespace probes
