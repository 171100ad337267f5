// Workers, and what they find.

#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

namespace clp {

// A matching line, and the number of its file.
struct Match {
    std::size_t file;
    std::string line;
};

// Matches of each query.
using Found = std::vector<std::vector<Match>>;

// Calls `work` with the number of each worker, in a thread of its own if there are several.
template <class Work>
void in_parallel(std::size_t workers, const Work& work) {
    if (workers == 1)
        return work(0);
    std::vector<std::future<void>> futures;
    for (std::size_t worker = 0; worker < workers; ++worker)
        futures.push_back(std::async(std::launch::async, work, worker));
    for (auto& future : futures)
        future.get();
}

}  // namespace clp
