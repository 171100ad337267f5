#include "table_search.hpp"

#include <algorithm>
#include <cstring>

#include "../core/memory.hpp"

namespace probes::cpython {

namespace {

constexpr int kLeastUnnamed = 8;
// The largest number of named opcodes that a build does not implement (DO_TRACING, reserved
// opcodes).
constexpr int kMostUnimplemented = 4;
constexpr size_t kLeastDistinct = 90;
// The least number of equal entries of a second table. In CPython 3.10, 13 of 166 entries differ.
constexpr int kLeastAgreeing = 70;

bool in_code(const std::vector<Segment>& segments, uint64_t address) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.executable && segment.holds(address);
  });
}

bool fits(const uint64_t* entries, const std::array<bool, kOperations>& named, int first_unnamed,
          const std::vector<Segment>& segments) {
  const uint64_t unknown = entries[first_unnamed];
  if (!in_code(segments, unknown)) return false;
  int unimplemented = 0;
  for (size_t at = 0; at < kOperations; ++at) {
    const bool leads_nowhere = entries[at] == unknown;
    if (!named[at] && !leads_nowhere) return false;
    if (named[at] && leads_nowhere && ++unimplemented > kMostUnimplemented) return false;
    if (!leads_nowhere && !in_code(segments, entries[at])) return false;
  }
  std::vector<uint64_t> distinct(entries, entries + kOperations);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct.size() >= kLeastDistinct;
}

// CPython 3.10 dispatches the first opcode of a frame through a `switch`. The compiler makes a
// table of 32-bit offsets for it, which leads to the same code or a few bytes next to it.
void find_twin(DispatchTable& table, const std::vector<Segment>& segments) {
  const auto* entries = reinterpret_cast<const uint64_t*>(table.address);
  const uint64_t unknown = entries[0];  // opcode 0 has no name before CPython 3.11
  int length = table.length;
  while (length > 1 && entries[length - 1] == unknown) --length;
  for (const Segment& segment : segments) {
    if (segment.executable) continue;
    const uint64_t bytes = static_cast<uint64_t>(length) * sizeof(int32_t);
    for (uint64_t at = (segment.begin + 3) / 4 * 4; at + bytes <= segment.end; at += 4) {
      const auto* offsets = reinterpret_cast<const int32_t*>(at);
      if (at + static_cast<uint64_t>(static_cast<int64_t>(offsets[1])) != entries[1]) continue;
      int agreeing = 0, index = 0;
      for (; index < length; ++index) {
        const uint64_t target = at + static_cast<uint64_t>(static_cast<int64_t>(offsets[index]));
        if (target == entries[index])
          ++agreeing;
        else if (!in_code(segments, target))
          break;
      }
      if (index < length || agreeing < kLeastAgreeing) continue;
      table.twin = at;
      table.twin_length = length;
      return;
    }
  }
}

}  // namespace

std::vector<DispatchTable> search(const std::array<bool, kOperations>& named, uint64_t inside) {
  std::vector<DispatchTable> found;
  if (std::count(named.begin(), named.end(), false) < kLeastUnnamed) return found;
  const auto first = static_cast<int>(std::find(named.begin(), named.end(), false) - named.begin());
  const std::vector<Segment> segments = segments_of(inside);
  constexpr uint64_t kBytes = kOperations * sizeof(uint64_t);
  for (const Segment& segment : segments) {
    if (segment.executable) continue;
    for (uint64_t at = (segment.begin + 7) / 8 * 8; at + kBytes <= segment.end; at += 8) {
      if (!fits(reinterpret_cast<const uint64_t*>(at), named, first, segments)) continue;
      DispatchTable table;
      table.address = at;
      table.length = kOperations;
      if (!named[0]) find_twin(table, segments);
      found.push_back(table);
    }
  }
  return found;
}

}  // namespace probes::cpython
