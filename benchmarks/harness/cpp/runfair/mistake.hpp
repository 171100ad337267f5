// Mistakes of the user.

#pragma once

#include <stdexcept>

namespace runfair {

// What the user did wrong and how to put it right, in one line; exit status 2.
class UserError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace runfair
