#include "database.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "../domain/database.hpp"

namespace web {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds reach_limit{10};
constexpr int longest_wait_ms = 100;

}  // namespace

Database::Database(h2o_context_t& context, const std::string& url, std::size_t connections) {
    for (std::size_t i = 0; i < connections; ++i)
        sessions_.push_back(std::make_unique<Session>(context, url));
    const Clock::time_point limit = Clock::now() + reach_limit;
    const auto ready = [](const auto& session) { return session->is_ready(); };
    const auto failed = [](const auto& session) { return !session->failure().empty(); };
    while (!std::ranges::all_of(sessions_, ready)) {
        if (const auto found = std::ranges::find_if(sessions_, failed); found != sessions_.end())
            throw unreachable((*found)->failure());
        if (Clock::now() > limit)
            throw unreachable("no answer within 10 s");
        h2o_evloop_run(context.loop, longest_wait_ms);
    }
}

Session& Database::session() {
    const auto busy = [](const auto& session) {
        return std::pair(!session->is_ready(), session->load());
    };
    return **std::ranges::min_element(sessions_, {}, busy);
}

}  // namespace web
