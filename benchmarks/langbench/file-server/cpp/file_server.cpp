// Static files over HTTP/1.1, a thread a connection; see langbench/file-server/contract.md.

#include <cstdint>
#include <span>
#include <string_view>

#include "description.hpp"
#include "file.hpp"
#include "runfair/service.hpp"
#include "server.hpp"

namespace {

struct Standard : file_server::Description {
    static constexpr std::string_view tier = "standard";
};

// By one call, into memory of that size.
struct AtOnce {
    static void read(const file_server::File& file, std::uint64_t first, std::span<char> into) {
        file.read(first, into);
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::serve<Standard>(argc, argv, file_server::run<AtOnce>);
}
