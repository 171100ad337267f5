#include "statistics.hpp"

namespace key_value {

runfair::Counters Counts::operations(std::size_t entries) const {
    return {{"sets", sets},          {"gets", hits + misses},      {"hits", hits},
            {"misses", misses},      {"chain_steps", chain_steps}, {"entries", entries},
            {"evictions", evictions}};
}

Counts Totals::sum() const {
    const std::lock_guard lock(mutex_);
    Counts sum = ended_;
    for (const Statistics* statistics : open_)
        statistics->add_to(sum);
    return sum;
}

Statistics::Statistics(Totals& totals) : totals_(totals) {
    const std::lock_guard lock(totals_.mutex_);
    totals_.open_.insert(this);
}

Statistics::~Statistics() {
    const std::lock_guard lock(totals_.mutex_);
    totals_.open_.erase(this);
    add_to(totals_.ended_);
}

void Statistics::add_to(Counts& sum) const {
    sum.commands += commands.value();
    sum.hits += hits.value();
    sum.misses += misses.value();
    sum.evictions += evictions.value();
    sum.sets += sets.value();
    sum.chain_steps += chain_steps.value();
}

}  // namespace key_value
