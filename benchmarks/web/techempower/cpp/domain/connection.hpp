// A connection to PostgreSQL by libpq, for any event loop: no function here waits.

#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace web {

// A query that has no result. The connection is then of no further use.
class DatabaseError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Statement {
    const char* name;
    const char* text;
    int parameters;
};

inline constexpr Statement read_row{"read_row", "SELECT id, randomnumber FROM world WHERE id = $1",
                                    1};
inline constexpr Statement write_rows{
    "write_rows",
    "UPDATE world SET randomnumber = v.r FROM unnest($1::int[], $2::int[]) v(i, r) WHERE id = v.i",
    2};
inline constexpr Statement read_fortunes{"read_fortunes", "SELECT id, message FROM fortune", 0};
inline constexpr std::array statements{read_row, write_rows, read_fortunes};

// What the socket must become before the next call.
enum class Readiness { none, readable, writable };

struct Clearing {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clearing>;

// Use: call `connect` until it needs nothing more, `prepare`, and then for each query `send`,
// `flush` until it returns true, and `result` until it returns a result. Before another call of
// `result`, wait until the socket is readable and call `receive`. Each query has a Sync of its own.
// The next query may be sent before the previous result has arrived. Throws DatabaseError.
class Connection {
public:
    explicit Connection(const std::string& url)
        : connection_(PQconnectStart(url.c_str()), PQfinish) {
        if (PQstatus(connection_.get()) == CONNECTION_BAD)
            fail();
    }

    // The socket may be another one after each call of `connect`, which may also close it.
    int socket() const { return PQsocket(connection_.get()); }

    // If `connect` was never called, the socket must first become writable.
    Readiness connect() {
        switch (PQconnectPoll(connection_.get())) {
            case PGRES_POLLING_READING:
                return Readiness::readable;
            case PGRES_POLLING_WRITING:
                return Readiness::writable;
            case PGRES_POLLING_OK:
                check(PQsetnonblocking(connection_.get(), 1) == 0);
                check(PQenterPipelineMode(connection_.get()) == 1);
                return Readiness::none;
            default:
                fail();
        }
    }

    // Sends all statements. Each has a result, as a query has.
    void prepare() {
        for (const Statement& one : statements) {
            check(PQsendPrepare(connection_.get(), one.name, one.text, one.parameters, nullptr) ==
                  1);
            sync();
        }
    }

    void send(const Statement& statement, std::span<const char* const> parameters = {}) {
        check(PQsendQueryPrepared(connection_.get(), statement.name, statement.parameters,
                                  parameters.data(), nullptr, nullptr, 0) == 1);
        sync();
    }

    // False if the socket does not take all bytes now. Wait then until it is writable, or until it
    // is readable and call `receive`, and flush again.
    bool flush() {
        const int left = PQflush(connection_.get());
        check(left >= 0);
        return left == 0;
    }

    void receive() { check(PQconsumeInput(connection_.get()) == 1); }

    // The number of results that have not been taken.
    std::size_t pending() const { return pending_; }

    // The next result, after its query has ended; null if it has not arrived.
    Result result() {
        while (pending_ > 0 && PQisBusy(connection_.get()) == 0) {
            Result part(PQgetResult(connection_.get()));
            switch (PQresultStatus(part.get())) {
                case PGRES_TUPLES_OK:
                case PGRES_COMMAND_OK:
                    result_ = std::move(part);
                    break;
                case PGRES_PIPELINE_SYNC:
                    pending_ -= 1;
                    return std::move(result_);
                default:
                    // Null ends the results of a query. Its status is that of an error, too.
                    if (part != nullptr || PQstatus(connection_.get()) != CONNECTION_OK)
                        fail();
            }
        }
        return nullptr;
    }

private:
    // Until version 17, libpq sends each Sync to the socket by a system call of its own.
    void sync() {
        check(PQpipelineSync(connection_.get()) == 1);
        pending_ += 1;
    }

    void check(bool succeeded) const {
        if (!succeeded)
            fail();
    }

    [[noreturn]] void fail() const { throw DatabaseError(PQerrorMessage(connection_.get())); }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    Result result_;
    std::size_t pending_ = 0;
};

}  // namespace web
