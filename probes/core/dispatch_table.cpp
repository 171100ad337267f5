#include "dispatch_table.hpp"

#include <cstring>
#include <optional>

#include "measurement.hpp"
#include "memory.hpp"
#include "thread_state.hpp"

namespace probes {

namespace {

constexpr size_t kCodeBytes = size_t{1} << 18;
constexpr const char* kNotWritable = "the dispatch table cannot be made writable";

uint64_t code_at(uint64_t twin, int32_t offset) {
  return twin + static_cast<uint64_t>(static_cast<int64_t>(offset));
}

}  // namespace

const char* Interposition::attach(const DispatchTable& table, Mode mode) {
  if (attached_) return "already attached";
  if (table.length <= 0 || table.length > kOperations) return "no dispatch table of this length";
  table_ = table;
  const auto* entries = reinterpret_cast<const uint64_t*>(table.address);
  entries_.assign(entries, entries + table.length);
  const auto* offsets = reinterpret_cast<const int32_t*>(table.twin);
  offsets_.assign(offsets, offsets + table.twin_length);

  uint8_t* code = map_near(entries_[0], kCodeBytes);
  if (code == nullptr) return "no room for code within 2 GB of the interpreter";
  Assembler assembler(code, code + kCodeBytes);
  std::vector<uint64_t> thunks;
  for (int at = 0; at < table.length; ++at)
    thunks.push_back(write_thunk(assembler, mode, at, entries_[static_cast<size_t>(at)]));
  std::vector<int32_t> twin_thunks;
  for (int at = 0; at < table.twin_length; ++at) {
    const auto index = static_cast<size_t>(at);
    const uint64_t target = code_at(table.twin, offsets_[index]);
    const uint64_t thunk =
        target == entries_[index] ? thunks[index] : write_thunk(assembler, mode, at, target);
    const auto distance = static_cast<int64_t>(thunk - table.twin);
    if (distance != static_cast<int32_t>(distance))
      return "no room for code within 2 GB of the interpreter's second table";
    twin_thunks.push_back(static_cast<int32_t>(distance));
  }
  if (assembler.full()) return "the thunks need more room than was made";
  if (!seal(code, kCodeBytes)) return "the system does not let new code be executed";
  if (mode == Mode::kSteps) {
    const auto begin = reinterpret_cast<uintptr_t>(code);
    if (const char* error = begin_stepping(begin, begin + kCodeBytes)) return error;
  }
  if (const char* error = write(thunks, twin_thunks)) return error;
  attached_ = true;
  return nullptr;
}

const char* Interposition::detach() {
  if (!attached_) return "not attached";
  if (const char* error = write(entries_, offsets_)) return error;
  attached_ = false;
  return nullptr;
}

bool Interposition::restored() const {
  return memcmp(reinterpret_cast<const void*>(table_.address), entries_.data(),
                entries_.size() * sizeof entries_[0]) == 0 &&
         memcmp(reinterpret_cast<const void*>(table_.twin), offsets_.data(),
                offsets_.size() * sizeof(int32_t)) == 0;
}

const char* Interposition::write(const std::vector<uint64_t>& entries,
                                 const std::vector<int32_t>& offsets) {
  Writable table(table_.address, entries.size() * sizeof entries[0]);
  std::optional<Writable> twin;
  if (!offsets.empty()) twin.emplace(table_.twin, offsets.size() * sizeof offsets[0]);
  if (!table.valid() || (twin && !twin->valid())) return kNotWritable;
  // Other threads may dispatch meanwhile: each entry changes at once.
  auto* entry = reinterpret_cast<uint64_t*>(table_.address);
  for (uint64_t value : entries) __atomic_store_n(entry++, value, __ATOMIC_RELEASE);
  auto* offset = reinterpret_cast<int32_t*>(table_.twin);
  for (int32_t value : offsets) __atomic_store_n(offset++, value, __ATOMIC_RELEASE);
  return nullptr;
}

}  // namespace probes
