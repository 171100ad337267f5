// The database that the options and the environment name.

#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "runfair/options.hpp"

namespace web {

// The address of the database; none if the workload needs no database. Throws runfair::UserError.
inline std::optional<std::string> database_url(const runfair::Options& options) {
    const std::string& workload = options.text("workload");
    if (workload == "plaintext" || workload == "json")
        return std::nullopt;
    constexpr const char* form = "postgresql://USER[:PASSWORD]@HOST:PORT/NAME";
    const char* url = std::getenv("DATABASE_URL");
    if (url == nullptr || *url == '\0')
        throw runfair::UserError("DATABASE_URL is missing; the workload " + workload +
                                 " needs DATABASE_URL=" + form);
    char* message = nullptr;
    PQconninfoOption* parsed = PQconninfoParse(url, &message);
    const bool malformed = parsed == nullptr || !std::string_view(url).starts_with("postgresql://");
    PQconninfoFree(parsed);
    PQfreemem(message);
    if (malformed)
        throw runfair::UserError(std::string("DATABASE_URL takes ") + form + ", not " +
                                 runfair::quoted(url));
    return url;
}

inline runfair::UserError unreachable(const std::string& reason) {
    return runfair::UserError("DATABASE_URL cannot be reached: " + runfair::quoted(reason));
}

// The part of the program's database connections that one of its threads gets: at least one.
inline std::size_t share(const runfair::Options& options, std::size_t thread) {
    const std::size_t connections = options.number("connections");
    const std::size_t threads = options.number("threads");
    const std::size_t part = connections / threads + (thread < connections % threads ? 1 : 0);
    return part > 0 ? part : 1;
}

}  // namespace web
