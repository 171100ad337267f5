#include "engine.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "../core/symbols.hpp"

namespace probes::v8 {

namespace {

// One row for bytecodes, and one for each of the prefixes Wide and ExtraWide.
constexpr int kRows = 3;

constexpr const char* kCurrent = "_ZN2v87Isolate10GetCurrentEv";
constexpr const char* kTable =
    "_ZN2v88internal17ExternalReference34interpreter_dispatch_table_addressEPNS0_7IsolateE";
constexpr const char* kName = "_ZN2v88internal11interpreter9Bytecodes8ToStringENS1_8BytecodeE";
constexpr const char* kSample =
    "_ZN2v87Isolate14GetStackSampleERKNS_13RegisterStateEPPvmPNS_10SampleInfoE";
constexpr const char* kObserve =
    "_ZN2v87Isolate22SetJitCodeEventHandlerENS_19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE";
constexpr const char* kBuiltins = "_ZNK2v88internal7Isolate18embedded_blob_codeEv";
constexpr const char* kBuiltinsSize = "_ZNK2v88internal7Isolate23embedded_blob_code_sizeEv";
constexpr const char* kCodeRange = "_ZN2v87Isolate12GetCodeRangeEPPvPm";
constexpr const char* kArraySlot = "v8dbg_off_fp_bytecode_array";
constexpr const char* kOffsetSlot = "v8dbg_off_fp_bytecode_offset";

bool is_wanted(std::string_view name) {
  for (const char* each : {kCurrent, kTable, kName, kSample, kObserve, kBuiltins, kBuiltinsSize,
                           kCodeRange, kArraySlot, kOffsetSlot})
    if (name == each) return true;
  return false;
}

template <typename Function>
bool look_up(const std::vector<Symbol>& symbols, const char* name, Function& found) {
  const Symbol* symbol = find_symbol(symbols, name);
  if (symbol != nullptr) found = reinterpret_cast<Function>(symbol->address);
  return symbol != nullptr;
}

}  // namespace

const char* find_engine(Engine& found) {
  Dl_info executable;
  const void* inside = dlsym(RTLD_DEFAULT, "napi_create_function");
  if (inside == nullptr || dladdr(inside, &executable) == 0) return "not supported: no Node";
  const std::vector<Symbol> symbols =
      symbols_of("/proc/self/exe", reinterpret_cast<uintptr_t>(executable.dli_fbase), is_wanted);
  if (symbols.empty()) return "not supported: this Node is stripped, or V8 is a shared library";
  const int32_t *array = nullptr, *offset = nullptr;
  if (!look_up(symbols, kCurrent, found.current) || !look_up(symbols, kTable, found.table) ||
      !look_up(symbols, kName, found.name) || !look_up(symbols, kSample, found.sample) ||
      !look_up(symbols, kObserve, found.observe_code) ||
      !look_up(symbols, kBuiltins, found.builtins) ||
      !look_up(symbols, kBuiltinsSize, found.builtins_size) ||
      !look_up(symbols, kCodeRange, found.code_range) || !look_up(symbols, kArraySlot, array) ||
      !look_up(symbols, kOffsetSlot, offset))
    return "not supported: the probe does not know this build of Node";
  found.bytecode_array_slot = *array;
  found.bytecode_offset_slot = *offset;
  return nullptr;
}

DispatchTable table_of(const Engine& engine, Isolate isolate) {
  DispatchTable table;
  table.address = engine.table(isolate);
  table.length = kRows * kOperations;
  // r9 contains the offset of the bytecode from the start of its (tagged) array.
  table.registers = {Assembler::kRbp, true, Assembler::kR9};
  return table;
}

OperationNames names_of(const Engine& engine, const DispatchTable& table) {
  OperationNames names;
  const auto* entries = reinterpret_cast<const uint64_t*>(table.address);
  const uint64_t illegal = entries[kOperations - 1];
  for (size_t at = 0; at < names.size(); ++at) {
    if (entries[at] == illegal) continue;
    const std::string name = engine.name(static_cast<uint8_t>(at));
    const bool is_short_star = name.size() > 4 && name.compare(0, 4, "Star") == 0 &&
                               std::all_of(name.begin() + 4, name.end(),
                                           [](char each) { return each >= '0' && each <= '9'; });
    names[at] = {name, is_short_star ? "Star" : name};
  }
  return names;
}

}  // namespace probes::v8
