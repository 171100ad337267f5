#include "call_tree.hpp"

#include "memory.hpp"

namespace probes {

namespace {

constexpr uint32_t kCalls = uint32_t{1} << 17;
constexpr uint32_t kSlotBits = 18, kSlots = uint32_t{1} << kSlotBits;
constexpr size_t kCallBytes = kCalls * sizeof(Call), kSlotBytes = kSlots * sizeof(uint32_t);

}  // namespace

bool CallTree::renew() {
  void* calls = new_pages(kCallBytes);
  void* slots = new_pages(kSlotBytes);
  if (calls == nullptr || slots == nullptr) {
    free_pages(calls, kCallBytes);
    free_pages(slots, kSlotBytes);
    return false;
  }
  free_pages(calls_, kCallBytes);
  free_pages(slots_, kSlotBytes);
  calls_ = static_cast<Call*>(calls);
  slots_ = static_cast<uint32_t*>(slots);
  calls_[kBottom] = calls_[kTruncated] = {0, kBottom};
  used_ = kFirst;
  return true;
}

uint32_t CallTree::index_of(const Callers& callers) {
  uint32_t found = callers.complete() ? kBottom : kTruncated;
  for (int at = callers.count() - 1; at >= 0; --at) {
    found = index_of(Call{callers[at], found});
    if (found == kBottom) return kTruncated;
  }
  return found;
}

// The index of a call; kBottom if the tree is full.
uint32_t CallTree::index_of(const Call& call) {
  uint64_t hash = (call.function >> 4) ^ (uint64_t{call.caller} << 40);
  hash *= 0x9e3779b97f4a7c15;  // Fibonacci hashing: 2^64 over the golden ratio
  // There are more slots than calls, so one is always free.
  for (uint32_t at = static_cast<uint32_t>(hash >> (64 - kSlotBits));; at = (at + 1) % kSlots) {
    const uint32_t known = slots_[at];
    if (known == 0) {
      if (used_ == kCalls) return kBottom;
      calls_[used_] = call;
      slots_[at] = used_;
      return used_++;
    }
    if (calls_[known].function == call.function && calls_[known].caller == call.caller)
      return known;
  }
}

std::vector<Call> CallTree::calls() const {
  return calls_ == nullptr ? std::vector<Call>{} : std::vector<Call>{calls_, calls_ + used_};
}

}  // namespace probes
