// Replies to requests, and requests whose reply comes later.

#pragma once

#include <memory>
#include <string_view>

#include "libh2o.hpp"

namespace web {

// Replies with status 200. `type` must be a literal: libh2o keeps the pointer.
void reply(h2o_req_t& request, std::string_view type, std::string_view body);

// A request that waits for the database.
class Pending {
public:
    static std::shared_ptr<Pending> create(h2o_req_t& request);

    // These do nothing if the request has ended before, for example because its client left.
    void reply(std::string_view type, std::string_view body);
    void fail();

private:
    explicit Pending(h2o_req_t& request) : request_(&request) {}

    h2o_req_t* request_;  // null after the request has ended
};

}  // namespace web
