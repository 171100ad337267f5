// The rows of the table `world`.

#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"
#include "random.hpp"

namespace web {

struct World {
    std::int32_t id;
    std::int32_t random_number;
};

inline std::string_view text(const Result& result, int row, int column) {
    return {PQgetvalue(result.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result.get(), row, column))};
}

inline std::int32_t number(const Result& result, int row, int column) {
    const std::string_view digits = text(result, row, column);
    std::int32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

// Sends a query for one random row.
inline void send_read(Connection& connection) {
    const std::string id = std::to_string(drawn());
    connection.send(read_row, std::array{id.c_str()});
}

// The row that `send_read` asked for.
inline World world(const Result& result) {
    if (PQntuples(result.get()) != 1)
        throw DatabaseError("the table world has no row with an id that was drawn");
    return {number(result, 0, 0), number(result, 0, 1)};
}

// Gives the rows new random numbers, and sends one statement that writes them. The rows are sorted
// by id, so that concurrent updates lock rows in the same order.
inline void send_update(Connection& connection, std::vector<World>& rows) {
    std::ranges::sort(rows, {}, &World::id);
    std::string ids = "{";
    std::string numbers = "{";
    for (World& row : rows) {
        row.random_number = drawn();
        ids.append(std::to_string(row.id)).push_back(',');
        numbers.append(std::to_string(row.random_number)).push_back(',');
    }
    ids.back() = '}';
    numbers.back() = '}';
    connection.send(write_rows, std::array{ids.c_str(), numbers.c_str()});
}

}  // namespace web
