#pragma once

#include <array>
#include <functional>
#include <string>

#include "calibration.hpp"
#include "probe.hpp"

namespace probes {

// A process and its runtime, as in the side file.
struct Process {
  std::string runtime;
  std::string version;
  // True if the runtime also compiles. Counts then only include bytecodes that its interpreter
  // executed.
  bool compiles = false;
};

struct OperationName {
  std::string name;    // empty: no operation has this number
  std::string family;  // the operation that a rewritten operation stands for, or its own name
};
using OperationNames = std::array<OperationName, kOperations>;

struct SourceLine {
  std::string path;  // empty: not known
  std::string function;
  int line = 0;  // 0: not known
};

// The attribution of a sample: the name of a part of the runtime outside the interpreter, or the
// source line inside it.
struct PlaceNames {
  std::function<std::string(int operation)> part;
  std::function<SourceLine(const Place& place)> line;
  bool callers;  // whether the samples have callers
};

// The request of a `--mode`, from the variables RUNFAIR_PROBE_..., which all adapters read.
struct Request {
  std::string folder;     // empty: no probe is wanted
  std::string mode_name;  // the lab's name of the mode
  Mode mode;
  uint64_t period;  // see Probe::start
  std::string bytecodes;
};
Request request(const std::function<std::string(const char* name)>& variable);
Request request();  // reads the environment

// The reason why the requested bytecodes cannot be probed: one of them does not exist. Empty if
// they all exist. `runtime` is the runtime's name and version.
std::string unknown_bytecode(const Request& request, const OperationNames& names,
                             const std::string& runtime);

// Creates a marker in the folder: this process is being probed and has not written its file yet.
// If the marker remains, the lab knows that results are missing.
void announce(const char* folder);
// Removes the marker: the file is written, or will not be missed.
void withdraw();

// Writes the file of this process: the results of a stopped probe, or the reason for a refusal. If
// the file cannot be written, prints a line on standard error, and the program continues.
void write_result(const Request& request, const Process& process, const Probe& probe,
                  const OperationNames& names, const PlaceNames& places,
                  const ThunkCosts& costs_ns);
void write_refusal(const Request& request, const Process& process, const std::string& reason);

}  // namespace probes
