#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace probes {

struct Segment {
  uint64_t begin;
  uint64_t end;
  bool executable;

  bool holds(uint64_t address) const { return address >= begin && address < end; }
};

// The loaded segments of the executable or library that contains `address`; empty if there is
// none.
std::vector<Segment> segments_of(uint64_t address);

// The protection (PROT_READ and so on) of the page at `address`; -1 if nothing is mapped there.
int protection_of(uint64_t address);

// Makes `length` bytes at `address` writable. The destructor restores the protection of each page.
class Writable {
 public:
  Writable(uint64_t address, size_t length);
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  ~Writable();

  bool valid() const { return valid_; }

 private:
  uint64_t first_page_;
  std::vector<int> before_;
  bool valid_;
};

// New pages for `length` bytes of code, close enough to `anchor` for a jump in both directions.
// They are writable until `seal`. A thread may execute them at any time, so `free_pages` may only
// be called if no such thread exists. nullptr if there is no room.
uint8_t* map_near(uint64_t anchor, size_t length);
bool seal(uint8_t* code, size_t length);

// Copies memory that may be unmapped; returns false if it is. Usable in a signal handler.
bool read_memory(uint64_t address, void* into, size_t length);

// Reads memory that may be unmapped in blocks, so that neighbouring values need one system call.
// Usable in a signal handler.
class MemoryReader {
 public:
  // `address` must be a multiple of the value's size. Returns false if it is not, or is unmapped.
  template <typename Value>
  bool read(uint64_t address, Value& value) {
    if (address % sizeof value != 0 || !fetch(address / kBlock * kBlock)) return false;
    memcpy(&value, block_ + address % kBlock, sizeof value);
    return true;
  }

 private:
  // A page contains whole blocks, so all of a block is mapped, or nothing.
  static constexpr uint64_t kBlock = 1024;

  bool fetch(uint64_t begin);

  uint64_t begin_ = 1;  // no block begins here
  alignas(8) uint8_t block_[kBlock];
};

// New pages, which contain zeros and need memory only when they are written; nullptr if there are
// none. `free_pages` accepts nullptr.
void* new_pages(size_t length);
void free_pages(void* pages, size_t length);

}  // namespace probes
