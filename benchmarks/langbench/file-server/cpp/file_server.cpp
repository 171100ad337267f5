// Static files over HTTP/1.1; see langbench/file-server/contract.md.

#include <cstdint>
#include <span>

#include "counts.hpp"
#include "file.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"

namespace {

// By one call, into memory of that size.
struct AtOnce {
    static void read(const file_server::File& file, std::uint64_t first, std::span<char> into,
                     file_server::Counts& counts) {
        file.read(first, into, counts);
    }
};

struct Standard : file_server::Description {
    static constexpr const char* tier = "standard";

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        return file_server::serve<AtOnce>(options, ready);
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Standard>(argc, argv);
}
