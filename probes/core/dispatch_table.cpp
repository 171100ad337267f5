#include "dispatch_table.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "measurement.hpp"
#include "memory.hpp"
#include "thread_state.hpp"

namespace probes {

namespace {

// The largest number of entries: several for each operation.
constexpr int kMostEntries = 16 * kOperations;
// More than the size of the longest thunk.
constexpr size_t kThunkBytes = 512;
constexpr const char* kNotWritable = "the dispatch table cannot be made writable";

uint64_t code_at(uint64_t twin, int32_t offset) {
  return twin + static_cast<uint64_t>(static_cast<int64_t>(offset));
}

}  // namespace

const char* Interposition::attach(const DispatchTable& table, Mode mode) {
  if (attached_) return "already attached";
  code_begin_ = code_end_ = 0;
  const char* error = replace(table, mode);
  attached_ = error == nullptr;
  if (!attached_) release();
  return error;
}

const char* Interposition::replace(const DispatchTable& table, Mode mode) {
  if (table.length <= 0 || table.length > kMostEntries) return "no dispatch table of this length";
  table_ = table;
  const auto* entries = reinterpret_cast<const uint64_t*>(table.address);
  entries_.assign(entries, entries + table.length);
  const auto* offsets = reinterpret_cast<const int32_t*>(table.twin);
  offsets_.assign(offsets, offsets + table.twin_length);

  const size_t code_bytes = static_cast<size_t>(table.length + table.twin_length) * kThunkBytes;
  uint8_t* code = map_near(entries_[0], code_bytes);
  if (code == nullptr) return "no room for code within 2 GB of the interpreter";
  code_begin_ = reinterpret_cast<uintptr_t>(code);
  code_end_ = code_begin_ + code_bytes;
  Assembler assembler(code, code + code_bytes);
  thunks_.clear();
  std::vector<Thunk> all;
  std::map<std::pair<int, uint64_t>, uint64_t> written;
  auto thunk_of = [&](int operation, uint64_t target) {
    uint64_t& begin = written[{operation, target}];
    if (begin != 0) return begin;
    all.push_back(write_thunk(assembler, mode, operation, target, table.registers));
    return begin = all.back().begin;
  };
  for (int at = 0; at < table.length; ++at)
    thunks_.push_back(thunk_of(at % kOperations, entries_[static_cast<size_t>(at)]));
  std::vector<int32_t> twin_thunks;
  for (int at = 0; at < table.twin_length; ++at) {
    const uint64_t thunk = thunk_of(at, code_at(table.twin, offsets_[static_cast<size_t>(at)]));
    const auto distance = static_cast<int64_t>(thunk - table.twin);
    if (distance != static_cast<int32_t>(distance))
      return "no room for code within 2 GB of the interpreter's second table";
    twin_thunks.push_back(static_cast<int32_t>(distance));
  }
  if (assembler.full()) return "the thunks need more room than was allocated";
  if (!seal(code, code_bytes)) return "the system does not allow new code to be executed";
  if (mode == Mode::kSteps) {
    if (const char* error = begin_stepping(code_begin_, code_end_, table.registers.frame))
      return error;
  }
  written_.swap(all);
  return write(thunks_, twin_thunks, entries_);
}

const char* Interposition::detach() {
  if (!attached_) return "not attached";
  if (const char* error = write(entries_, offsets_, thunks_)) return error;
  attached_ = false;
  return nullptr;
}

void Interposition::release() {
  if (attached_ || code_begin_ == 0) return;
  end_stepping(code_begin_);
  free_pages(reinterpret_cast<void*>(code_begin_), code_end_ - code_begin_);
  code_begin_ = code_end_ = 0;
}

const Thunk* Interposition::thunk_at(uint64_t address) const {
  if (!holds(address)) return nullptr;
  const auto after =
      std::upper_bound(written_.begin(), written_.end(), address,
                       [](uint64_t at, const Thunk& thunk) { return at < thunk.begin; });
  return after != written_.begin() && address < std::prev(after)->end ? &*std::prev(after)
                                                                      : nullptr;
}

bool Interposition::copies(int operation) const {
  return std::any_of(written_.begin(), written_.end(), [=](const Thunk& thunk) {
    return thunk.operation == operation && thunk.copies;
  });
}

bool Interposition::restored() const {
  const auto* copy = reinterpret_cast<const uint64_t*>(table_.copy);
  return memcmp(reinterpret_cast<const void*>(table_.address), entries_.data(),
                entries_.size() * sizeof entries_[0]) == 0 &&
         (offsets_.empty() || memcmp(reinterpret_cast<const void*>(table_.twin), offsets_.data(),
                                     offsets_.size() * sizeof(int32_t)) == 0) &&
         (copy == nullptr || std::none_of(copy, copy + table_.length,
                                          [this](uint64_t entry) { return holds(entry); }));
}

const char* Interposition::write(const std::vector<uint64_t>& entries,
                                 const std::vector<int32_t>& offsets,
                                 const std::vector<uint64_t>& before) {
  const size_t bytes = entries.size() * sizeof entries[0];
  Writable table(table_.address, bytes);
  std::optional<Writable> twin, copy;
  if (!offsets.empty()) twin.emplace(table_.twin, offsets.size() * sizeof offsets[0]);
  if (table_.copy != 0) copy.emplace(table_.copy, bytes);
  if (!table.valid() || (twin && !twin->valid()) || (copy && !copy->valid())) return kNotWritable;
  // Other threads may dispatch meanwhile, so each entry is replaced atomically.
  auto* entry = reinterpret_cast<uint64_t*>(table_.address);
  for (uint64_t value : entries) __atomic_store_n(entry++, value, __ATOMIC_RELEASE);
  auto* offset = reinterpret_cast<int32_t*>(table_.twin);
  for (int32_t value : offsets) __atomic_store_n(offset++, value, __ATOMIC_RELEASE);
  // The interpreter may overwrite the copy meanwhile. Only entries with the expected old value are
  // replaced. A second round replaces the entries that the interpreter wrote during the first.
  for (int round = 0; round < 2 && table_.copy != 0; ++round) {
    auto* copied = reinterpret_cast<uint64_t*>(table_.copy);
    for (size_t at = 0; at < entries.size(); ++at, ++copied) {
      uint64_t expected = before[at];
      __atomic_compare_exchange_n(copied, &expected, entries[at], false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_RELAXED);
    }
  }
  return nullptr;
}

}  // namespace probes
