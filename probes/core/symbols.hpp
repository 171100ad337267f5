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

// The symbols that `wanted` accepts from the symbol table of an executable or a library, including
// local symbols, at their loaded addresses. `loaded_at` is the address of the file's ELF header.
// Empty if the file is stripped or is not the loaded file.
std::vector<Symbol> symbols_of(const std::string& path, uint64_t loaded_at,
                               bool (*wanted)(std::string_view name));

// The symbol with this name, or nullptr.
const Symbol* find_symbol(const std::vector<Symbol>& symbols, std::string_view name);

}  // namespace probes
