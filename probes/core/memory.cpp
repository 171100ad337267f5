#include "memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>

namespace probes {

namespace {

const uint64_t kPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

struct Search {
  uint64_t address;
  std::vector<Segment> found;
};

int visit(dl_phdr_info* object, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  std::vector<Segment> segments;
  bool hit = false;
  for (int at = 0; at < object->dlpi_phnum; ++at) {
    const ElfW(Phdr) & header = object->dlpi_phdr[at];
    if (header.p_type != PT_LOAD) continue;
    const uint64_t begin = object->dlpi_addr + header.p_vaddr;
    segments.push_back({begin, begin + header.p_filesz, (header.p_flags & PF_X) != 0});
    if (search->address >= begin && search->address < begin + header.p_memsz) hit = true;
  }
  if (!hit) return 0;
  search->found = segments;
  return 1;
}

}  // namespace

std::vector<Segment> segments_of(uint64_t address) {
  Search search{address, {}};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

int protection_of(uint64_t address) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return -1;
  char line[512];
  int found = -1;
  bool at_start = true;
  while (fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin, end;
    char flags[8];
    const bool starts = at_start;
    // Lines with long file names are longer than the buffer.
    at_start = line[sizeof line - 2] == '\0' || line[sizeof line - 2] == '\n';
    line[sizeof line - 2] = '\0';
    if (!starts || sscanf(line, "%lx-%lx %7s", &begin, &end, flags) != 3) continue;
    if (address < begin || address >= end) continue;
    found = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) |
            (flags[2] == 'x' ? PROT_EXEC : 0);
    break;
  }
  fclose(maps);
  return found;
}

Writable::Writable(uint64_t address, size_t length)
    : first_page_(address / kPage * kPage), valid_(true) {
  for (uint64_t page = first_page_; page < address + length; page += kPage)
    before_.push_back(protection_of(page));
  for (size_t at = 0; at < before_.size() && valid_; ++at) {
    valid_ = before_[at] >= 0;
    if (!valid_ || (before_[at] & PROT_WRITE) != 0) continue;
    auto* page = reinterpret_cast<void*>(first_page_ + at * kPage);
    valid_ = mprotect(page, kPage, before_[at] | PROT_WRITE) == 0;
  }
}

Writable::~Writable() {
  for (size_t at = 0; at < before_.size(); ++at) {
    if (before_[at] < 0 || (before_[at] & PROT_WRITE) != 0) continue;
    mprotect(reinterpret_cast<void*>(first_page_ + at * kPage), kPage, before_[at]);
  }
}

uint8_t* map_near(uint64_t anchor, size_t length) {
  // The distance keeps clear of the heap of a program at a low address, and is within the 2 GB of
  // a jump.
  constexpr int64_t kFirst = int64_t{1} << 26, kLast = int64_t{3} << 29, kStep = int64_t{1} << 21;
  for (int64_t distance = kFirst; distance < kLast; distance += kStep) {
    for (int64_t signed_distance : {distance, -distance}) {
      const int64_t wanted = static_cast<int64_t>(anchor / kPage * kPage) + signed_distance;
      if (wanted < (1 << 20)) continue;
      auto* place = reinterpret_cast<void*>(wanted);
      void* made = mmap(place, length, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (made == place) return static_cast<uint8_t*>(made);
      // Kernels before 4.17 treat the address as a hint.
      if (made != MAP_FAILED) munmap(made, length);
    }
  }
  return nullptr;
}

bool seal(uint8_t* code, size_t length) {
  return mprotect(code, length, PROT_READ | PROT_EXEC) == 0;
}

bool read_memory(uint64_t address, void* into, size_t length) {
  iovec here{into, length};
  iovec there{reinterpret_cast<void*>(address), length};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(length);
}

bool MemoryReader::fetch(uint64_t begin) {
  if (begin_ == begin) return true;
  begin_ = 1;
  if (!read_memory(begin, block_, kBlock)) return false;
  begin_ = begin;
  return true;
}

void* new_pages(size_t length) {
  void* made = mmap(nullptr, length, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? nullptr : made;
}

void free_pages(void* pages, size_t length) {
  if (pages != nullptr) munmap(pages, length);
}

}  // namespace probes
