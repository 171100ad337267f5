// The paths of the web tests, and what libh2o calls for each of them.

#pragma once

#include "database.hpp"
#include "libh2o.hpp"

namespace web {

// libh2o's state of a thread, with the database connections of the thread.
struct Context : h2o_context_t {
    Database* database;
};

class Application {
public:
    // Has the paths of the tests with a database only if there is a database.
    explicit Application(bool database);
    Application(const Application&) = delete;
    Application& operator=(const Application&) = delete;
    ~Application();

    h2o_globalconf_t& configuration() { return configuration_; }

private:
    h2o_globalconf_t configuration_;
};

}  // namespace web
