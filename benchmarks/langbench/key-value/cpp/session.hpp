// The commands of one connection.

#pragma once

#include "replies.hpp"
#include "requests.hpp"
#include "statistics.hpp"
#include "store.hpp"

namespace key_value {

// What INFO tells besides.
struct Sections {
    bool addresses = false;
    bool operations = false;
};

// What the commands of one connection have to do with.
struct Session {
    Session(Store& the_store, Sections the_sections, Totals& the_totals, Replies& the_replies)
        : store(the_store),
          sections(the_sections),
          totals(the_totals),
          replies(the_replies),
          statistics(the_totals) {}

    Store& store;
    Sections sections;
    Totals& totals;
    Replies& replies;
    Statistics statistics;
    bool open = true;

    // Carries a request out; what it is made of is used up.
    void answer(Words& words);
};

}  // namespace key_value
