// What each command answers.

#pragma once

#include "replies.hpp"
#include "requests.hpp"
#include "statistics.hpp"
#include "store.hpp"

namespace key_value {

// What the commands of one connection have to do with.
struct Session {
    Session(Store& the_store, Totals& the_totals, Replies& the_replies)
        : store(the_store), totals(the_totals), replies(the_replies), statistics(the_totals) {}

    Store& store;
    Totals& totals;
    Replies& replies;
    Statistics statistics;
    bool open = true;

    // Carries a request out; what it is made of is used up.
    void answer(Words& words);
};

}  // namespace key_value
