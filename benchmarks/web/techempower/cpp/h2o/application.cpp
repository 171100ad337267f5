#include "application.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../domain/fortunes.hpp"
#include "../domain/target.hpp"
#include "../domain/world.hpp"

namespace web {

namespace json = boost::json;

// Found by Boost.JSON.
void tag_invoke(json::value_from_tag, json::value& value, const World& row) {
    value = {{"id", row.id}, {"randomNumber", row.random_number}};
}

namespace {

// As behind any load balancer, longer than a client keeps an idle connection.
constexpr std::uint64_t keep_alive_ms = 75'000;
constexpr std::string_view json_type = "application/json";

std::string_view text(const h2o_iovec_t& bytes) {
    return {bytes.base, bytes.len};
}

template <class Value>
std::string serialized(const Value& value) {
    return json::serialize(json::value_from(value));
}

std::vector<World> worlds(const Results& results) {
    std::vector<World> rows;
    rows.reserve(results.size());
    std::ranges::transform(results, std::back_inserter(rows), world);
    return rows;
}

std::size_t count(const h2o_req_t& request) {
    return query_count(text(request.path));
}

// A connection that is used least.
Session& session(const h2o_req_t& request) {
    return static_cast<Context*>(request.conn->ctx)->database->session();
}

void plaintext(h2o_req_t& request) {
    reply(request, "text/plain", greeting);
}

void message(h2o_req_t& request) {
    reply(request, json_type, serialized(json::object{{"message", greeting}}));
}

void single_query(h2o_req_t& request) {
    const auto answer = [](const auto& pending, const Results& results) {
        pending->reply(json_type, serialized(world(results.front())));
    };
    session(request).ask(Pending::create(request), 1, send_read, answer);
}

void multiple_queries(h2o_req_t& request) {
    const auto answer = [](const auto& pending, const Results& results) {
        pending->reply(json_type, serialized(worlds(results)));
    };
    session(request).ask(Pending::create(request), count(request), send_read, answer);
}

void updates(h2o_req_t& request) {
    Session& chosen = session(request);
    const auto update = [&chosen](const auto& pending, const Results& results) {
        const auto rows = std::make_shared<std::vector<World>>(worlds(results));
        const auto send = [&rows](Connection& connection) { send_update(connection, *rows); };
        const auto answer = [rows](const auto& pending, const Results&) {
            pending->reply(json_type, serialized(*rows));
        };
        chosen.ask(pending, 1, send, answer);
    };
    chosen.ask(Pending::create(request), count(request), send_read, update);
}

void all_fortunes(h2o_req_t& request) {
    const auto answer = [](const auto& pending, const Results& results) {
        pending->reply("text/html; charset=utf-8", page(fortunes(results.front())));
    };
    session(request).ask(Pending::create(request), 1, send_fortunes, answer);
}

// A handler refuses a request by -1, and libh2o then replies with status 404.
template <void (*answer)(h2o_req_t&)>
int handle(h2o_handler_t*, h2o_req_t* request) noexcept {
    // libh2o also passes requests for what is below the path.
    if (text(request->method) != "GET" ||
        text(request->path_normalized) != text(request->pathconf->path))
        return -1;
    answer(*request);
    return 0;
}

template <void (*answer)(h2o_req_t&)>
void add(h2o_hostconf_t* host, const char* path) {
    h2o_pathconf_t* const configuration = h2o_config_register_path(host, path, 0);
    h2o_create_handler(configuration, sizeof(h2o_handler_t))->on_req = handle<answer>;
}

}  // namespace

Application::Application(bool database) {
    h2o_config_init(&configuration_);
    configuration_.http1.req_timeout = keep_alive_ms;
    // A host named "default" gets the requests for all hosts.
    const h2o_iovec_t name = h2o_iovec_init(H2O_STRLIT("default"));
    h2o_hostconf_t* const host = h2o_config_register_host(&configuration_, name, 65535);
    add<plaintext>(host, "/plaintext");
    add<message>(host, "/json");
    if (!database)
        return;
    add<single_query>(host, "/db");
    add<multiple_queries>(host, "/queries");
    add<updates>(host, "/updates");
    add<all_fortunes>(host, "/fortunes");
}

Application::~Application() {
    h2o_config_dispose(&configuration_);
}

}  // namespace web
