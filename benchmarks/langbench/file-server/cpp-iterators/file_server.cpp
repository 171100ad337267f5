// Static files over HTTP/1.1, read by iterators; see langbench/file-server/contract.md.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "../cpp/counts.hpp"
#include "../cpp/failure.hpp"
#include "../cpp/file.hpp"
#include "../cpp/server.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"

namespace {

// By the stream's iterators, as the study's first C++ program did.
struct ByIterators {
    static void read(const file_server::File& file, std::uint64_t first, std::span<char> into,
                     file_server::Counts& counts) {
        std::ifstream stream(file.path(), std::ios::binary);
        const std::vector<char> content{std::istreambuf_iterator<char>(stream), {}};
        const std::size_t length = into.size();
        if (content.size() < first + length)
            throw file_server::Failure(500);
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(first), length, into.begin());
        counts.body_bytes += length;  // tick
    }
};

struct Iterators : file_server::Description {
    static constexpr const char* tier = "iterators";

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        return file_server::serve<ByIterators>(options, ready);
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Iterators>(argc, argv);
}
