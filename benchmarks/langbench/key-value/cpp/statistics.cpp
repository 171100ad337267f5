#include "statistics.hpp"

namespace key_value {

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
    for (std::size_t i = 0; i < counters; ++i)
        sum[i] += counts_[i].load(std::memory_order_relaxed);
}

}  // namespace key_value
