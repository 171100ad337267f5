#include "virtual_machine.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "../core/symbols.hpp"

namespace probes::hotspot {

namespace {

constexpr const char* kNotHotSpot = "not supported: this Java virtual machine is not HotSpot";
constexpr const char* kNotUnderstood =
    "not supported: the probe does not know this build of HotSpot";

// The states of the top of the stack (TosState). Each state has a row of entries.
constexpr int kStates = 10;

constexpr const char* kNormalTable = "_ZN19TemplateInterpreter13_normal_tableE";
constexpr const char* kActiveTable = "_ZN19TemplateInterpreter13_active_tableE";
constexpr const char* kNames = "_ZN9Bytecodes5_nameE";
constexpr const char* kJavaCodes = "_ZN9Bytecodes10_java_codeE";

bool is_wanted(std::string_view name) {
  return name == kNormalTable || name == kActiveTable || name == kNames || name == kJavaCodes;
}

// The exported descriptions of HotSpot's types and their fields.
class Structures {
 public:
  explicit Structures(void* library) : library_(library) {}

  bool present() const { return variable("gHotSpotVMStructs") != nullptr; }

  // The offset of a field.
  bool offset(const char* type, const char* field, uint64_t& found) const {
    const char* entry = field_entry(type, field);
    if (entry != nullptr) found = number(entry, "gHotSpotVMStructEntryOffsetOffset");
    return entry != nullptr;
  }
  // The value of a static field.
  bool value(const char* type, const char* field, uint64_t& found) const {
    const char* entry = field_entry(type, field);
    if (entry == nullptr) return false;
    const uint64_t address = number(entry, "gHotSpotVMStructEntryAddressOffset");
    if (address == 0) return false;
    found = *reinterpret_cast<const uint64_t*>(address);
    return true;
  }
  bool size(const char* type, uint64_t& found) const {
    const char* entry = list("gHotSpotVMTypes");
    const uint64_t stride = constant("gHotSpotVMTypeEntryArrayStride");
    for (; entry != nullptr; entry += stride) {
      const char* name = text(entry, "gHotSpotVMTypeEntryTypeNameOffset");
      if (name == nullptr) return false;
      if (strcmp(name, type) != 0) continue;
      found = number(entry, "gHotSpotVMTypeEntrySizeOffset");
      return true;
    }
    return false;
  }

 private:
  const void* variable(const char* name) const { return dlsym(library_, name); }
  uint64_t constant(const char* name) const {
    const auto* found = static_cast<const uint64_t*>(variable(name));
    return found == nullptr ? 0 : *found;
  }
  const char* list(const char* name) const {
    const auto* found = static_cast<const char* const*>(variable(name));
    return found == nullptr ? nullptr : *found;
  }
  uint64_t number(const char* entry, const char* offset) const {
    return *reinterpret_cast<const uint64_t*>(entry + constant(offset));
  }
  const char* text(const char* entry, const char* offset) const {
    return *reinterpret_cast<const char* const*>(entry + constant(offset));
  }
  const char* field_entry(const char* type, const char* field) const {
    const char* entry = list("gHotSpotVMStructs");
    const uint64_t stride = constant("gHotSpotVMStructEntryArrayStride");
    for (; entry != nullptr; entry += stride) {
      const char* owner = text(entry, "gHotSpotVMStructEntryTypeNameOffset");
      if (owner == nullptr) return nullptr;
      if (strcmp(owner, type) == 0 &&
          strcmp(text(entry, "gHotSpotVMStructEntryFieldNameOffset"), field) == 0)
        return entry;
    }
    return nullptr;
  }

  void* library_;
};

bool find_code(const Structures& structures, VirtualMachine& found) {
  uint64_t queue, buffer, limit;
  if (!structures.value("AbstractInterpreter", "_code", queue) || queue == 0 ||
      !structures.offset("StubQueue", "_stub_buffer", buffer) ||
      !structures.offset("StubQueue", "_buffer_limit", limit) ||
      !structures.value("CodeCache", "_low_bound", found.code_cache.begin) ||
      !structures.value("CodeCache", "_high_bound", found.code_cache.end))
    return false;
  found.interpreter.begin = *reinterpret_cast<const uint64_t*>(queue + buffer);
  found.interpreter.end =
      found.interpreter.begin + *reinterpret_cast<const uint32_t*>(queue + limit);
  return true;
}

template <typename Value>
Value at(uint64_t address) {
  return *reinterpret_cast<const Value*>(address);
}

// Without these data, the functions of compiled code remain unknown.
void find_code_heaps(const Structures& structures, VirtualMachine& found) {
  uint64_t heaps, length, elements, memory, map, shift, low, high;
  for (CodeHeap& heap : found.code_heaps) heap = {};
  if (!structures.value("CodeCache", "_heaps", heaps) || heaps == 0 ||
      !structures.offset("GrowableArrayBase", "_len", length) ||
      !structures.offset("GrowableArray<int>", "_data", elements) ||
      !structures.offset("CodeHeap", "_memory", memory) ||
      !structures.offset("CodeHeap", "_segmap", map) ||
      !structures.offset("CodeHeap", "_log2_segment_size", shift) ||
      !structures.offset("VirtualSpace", "_low", low) ||
      !structures.offset("VirtualSpace", "_high_boundary", high) ||
      !structures.size("HeapBlock", found.block_header_bytes) ||
      !structures.offset("CodeBlob", "_name", found.name_of_blob))
    return;
  if (!structures.offset("CompiledMethod", "_method", found.method_of_blob) &&
      !structures.offset("nmethod", "_method", found.method_of_blob))
    return;
  const auto* addresses = at<const uint64_t*>(heaps + elements);
  const int count = std::min(at<int32_t>(heaps + length), kMostCodeHeaps);
  for (int index = 0; index < count; ++index) {
    const uint64_t heap = addresses[index];
    found.code_heaps[index] = {
        {at<uint64_t>(heap + memory + low), at<uint64_t>(heap + memory + high)},
        at<uint64_t>(heap + map + low),
        at<uint32_t>(heap + shift)};
  }
}

bool find_frames(const Structures& structures, VirtualMachine& found) {
  uint64_t anchor, stack, frame;
  if (!structures.offset("JavaThread", "_anchor", anchor) ||
      !structures.offset("JavaFrameAnchor", "_last_Java_sp", stack) ||
      !structures.offset("JavaFrameAnchor", "_last_Java_fp", frame))
    return false;
  found.last_java_sp_of_thread = anchor + stack;
  found.last_java_fp_of_thread = anchor + frame;
  if (!structures.offset("JavaCallWrapper", "_anchor", anchor) ||
      !structures.value("StubRoutines", "_call_stub_return_address", found.call_stub_return))
    return false;
  found.last_java_sp_of_wrapper = anchor + stack;
  found.last_java_fp_of_wrapper = anchor + frame;
  if (!structures.offset("JavaThread", "_osthread", found.system_thread_of_thread) &&
      !structures.offset("Thread", "_osthread", found.system_thread_of_thread))
    return false;
  if (!structures.offset("OSThread", "_thread_id", found.number_of_system_thread)) return false;
  return structures.offset("Method", "_constMethod", found.const_method_of_method) &&
         structures.offset("ConstMethod", "_code_size", found.code_size_of_const_method) &&
         structures.size("ConstMethod", found.const_method_bytes);
}

bool find_table(const std::vector<Symbol>& symbols, VirtualMachine& found) {
  constexpr uint64_t kBytes = uint64_t{kStates} * kOperations * sizeof(uint64_t);
  const Symbol* normal = find_symbol(symbols, kNormalTable);
  const Symbol* active = find_symbol(symbols, kActiveTable);
  if (normal == nullptr || active == nullptr || normal->size != kBytes || active->size != kBytes)
    return false;
  found.table.address = normal->address;
  found.table.length = kStates * kOperations;
  found.table.copy = active->address;
  // The interpreter pushes and pops on the machine's stack. rbp does not change, and r13 is the
  // address of the instruction. r14 is the address of the local variables, and r15 of the thread.
  found.table.registers = {Assembler::kRbp,
                           true,
                           Assembler::kR13,
                           1U << 4 | 1U << 5 | 1U << 13 | 1U << 14 | 1U << 15,
                           {active->address, active->address + kBytes, false}};
  const auto* entries = reinterpret_cast<const uint64_t*>(normal->address);
  return std::all_of(entries, entries + found.table.length,
                     [&](uint64_t entry) { return found.interpreter.holds(entry); });
}

bool find_names(const std::vector<Symbol>& symbols, VirtualMachine& found) {
  const Symbol* names = find_symbol(symbols, kNames);
  if (names == nullptr) return false;
  const auto count = std::min<uint64_t>(names->size / sizeof(char*), kOperations);
  const auto* texts = reinterpret_cast<const char* const*>(names->address);
  for (size_t at = 0; at < count; ++at)
    if (texts[at] != nullptr) found.names[at] = {texts[at], texts[at]};
  // If the virtual machine rewrites a bytecode, the new bytecode stands for one of the class file.
  const Symbol* java_codes = find_symbol(symbols, kJavaCodes);
  if (java_codes == nullptr) return true;
  const auto* codes = reinterpret_cast<const int32_t*>(java_codes->address);
  const auto known = std::min<uint64_t>(java_codes->size / sizeof(int32_t), count);
  for (size_t at = 0; at < known; ++at) {
    const auto family = static_cast<size_t>(codes[at]);
    if (codes[at] >= 0 && family < count && !found.names[at].name.empty() &&
        !found.names[family].name.empty())
      found.names[at].family = found.names[family].name;
  }
  return true;
}

}  // namespace

const char* find_virtual_machine(const JavaVm& java_vm, VirtualMachine& found) {
  Dl_info library;
  if (dladdr(java_vm.inside(), &library) == 0) return kNotHotSpot;
  void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return kNotHotSpot;
  const Structures structures(handle);
  if (!structures.present()) return kNotHotSpot;
  const std::vector<Symbol> symbols =
      symbols_of(library.dli_fname, reinterpret_cast<uintptr_t>(library.dli_fbase), is_wanted);
  if (symbols.empty()) return "not supported: this build of HotSpot has no symbol table";
  if (find_symbol(symbols, kNormalTable) == nullptr)
    return "not supported: this build of HotSpot has no template interpreter (is it Zero?)";
  const bool understood = find_code(structures, found) && find_frames(structures, found) &&
                          find_table(symbols, found) && find_names(symbols, found);
  find_code_heaps(structures, found);
  return understood ? nullptr : kNotUnderstood;
}

}  // namespace probes::hotspot
