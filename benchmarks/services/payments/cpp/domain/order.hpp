// What GET /order/ID is about.

#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "digits.hpp"

namespace payments {

inline constexpr const char* order_query =
    "SELECT id, customer, status, amount, note FROM orders WHERE id = $1";

// A row of the table, and the answer.
struct Order {
    std::int64_t id;
    std::string customer;
    std::string status;
    std::int64_t amount;
    std::string note;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, customer, status, amount, note))

// The id that a path names; throws BadRequest.
inline std::int64_t order_id(std::string_view text) {
    return number(text, std::numeric_limits<std::int64_t>::max());
}

}  // namespace payments
