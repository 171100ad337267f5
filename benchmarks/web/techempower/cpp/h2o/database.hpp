// The database connections of a thread.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "session.hpp"

namespace web {

class Database {
public:
    // Runs the loop until all connections are ready. Throws runfair::UserError.
    Database(h2o_context_t& context, const std::string& url, std::size_t connections);

    // The connection with the fewest queries. If none is ready, one that is not.
    Session& session();

private:
    std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace web
