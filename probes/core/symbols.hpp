#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace probes {

struct Symbol {
  std::string name;
  uint64_t address;
  uint64_t size;
};

// The symbols in the symbol table of an executable or a library that `wanted` accepts, local ones
// included, at the addresses where the file is loaded. Empty if the file is stripped, or is not
// what is loaded at `loaded_at` (the address of its ELF header).
std::vector<Symbol> symbols_of(const std::string& path, uint64_t loaded_at,
                               bool (*wanted)(std::string_view name));

// The one of this name, or nullptr.
const Symbol* find_symbol(const std::vector<Symbol>& symbols, std::string_view name);

}  // namespace probes
