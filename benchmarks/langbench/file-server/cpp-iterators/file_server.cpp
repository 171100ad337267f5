// Static files over HTTP/1.1, read by iterators; see langbench/file-server/contract.md.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "../cpp/description.hpp"
#include "../cpp/failure.hpp"
#include "../cpp/file.hpp"
#include "../cpp/server.hpp"
#include "runfair/service.hpp"

namespace {

struct Iterators : file_server::Description {
    static constexpr std::string_view tier = "iterators";
};

// By the stream's iterators, as the study's first C++ program did.
struct ByIterators {
    static void read(const file_server::File& file, std::uint64_t first, std::span<char> into) {
        std::ifstream stream(file.path(), std::ios::binary);
        const std::vector<char> content{std::istreambuf_iterator<char>(stream), {}};
        if (content.size() < first + into.size())
            throw file_server::Failure(500);
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(first), into.size(),
                    into.begin());
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::serve<Iterators>(argc, argv, file_server::run<ByIterators>);
}
