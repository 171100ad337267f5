// Threads that wait for each other.
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace runfair {

// Starts a thread. If the system allows no further thread, the process ends with its message: the
// threads that already run may wait for the missing one, so they can never be joined.
template <class Work>
void start(std::vector<std::jthread>& threads, Work work) noexcept {
    threads.emplace_back(std::move(work));
}

}  // namespace runfair
