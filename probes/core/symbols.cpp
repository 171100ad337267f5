#include "symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace probes {

namespace {

// A whole file, mapped into memory.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      void* made = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (made != MAP_FAILED) bytes_ = static_cast<const char*>(made);
    }
    close(descriptor);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }

  // `count` objects at an offset, or nullptr if the file is too short.
  template <typename Value>
  const Value* at(uint64_t offset, uint64_t count = 1) const {
    if (bytes_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(Value))
      return nullptr;
    return reinterpret_cast<const Value*>(bytes_ + offset);
  }

 private:
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

// The difference between the file's load address and its link address.
bool bias_of(const MappedFile& file, const Elf64_Ehdr& header, uint64_t loaded_at, uint64_t& bias) {
  const auto* segments = file.at<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  for (int at = 0; segments != nullptr && at < header.e_phnum; ++at) {
    if (segments[at].p_type != PT_LOAD || segments[at].p_offset != 0) continue;
    bias = loaded_at - segments[at].p_vaddr;
    return memcmp(reinterpret_cast<const void*>(loaded_at), &header, sizeof header) == 0;
  }
  return false;
}

}  // namespace

std::vector<Symbol> symbols_of(const std::string& path, uint64_t loaded_at,
                               bool (*wanted)(std::string_view name)) {
  std::vector<Symbol> found;
  const MappedFile file(path.c_str());
  const auto* header = file.at<Elf64_Ehdr>(0);
  uint64_t bias = 0;
  if (header == nullptr || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return found;
  if (!bias_of(file, *header, loaded_at, bias)) return found;
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (int at = 0; sections != nullptr && at < header->e_shnum; ++at) {
    const Elf64_Shdr& table = sections[at];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& texts = sections[table.sh_link];
    const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, count);
    const auto* names = file.at<char>(texts.sh_offset, texts.sh_size);
    if (symbols == nullptr || names == nullptr || texts.sh_size == 0) continue;
    for (uint64_t index = 0; index < count; ++index) {
      const Elf64_Sym& symbol = symbols[index];
      if (symbol.st_name >= texts.sh_size || symbol.st_value == 0) continue;
      const char* name = names + symbol.st_name;
      const std::string_view text(name, strnlen(name, texts.sh_size - symbol.st_name));
      if (wanted(text))
        found.push_back({std::string(text), symbol.st_value + bias, symbol.st_size});
    }
  }
  return found;
}

const Symbol* find_symbol(const std::vector<Symbol>& symbols, std::string_view name) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

}  // namespace probes
