#include "reply.hpp"

#include <new>
#include <utility>

namespace web {

void reply(h2o_req_t& request, std::string_view type, std::string_view body) {
    request.res.status = 200;
    request.res.reason = "OK";
    request.res.content_length = body.size();
    h2o_add_header(&request.pool, &request.res.headers, H2O_TOKEN_CONTENT_TYPE, nullptr,
                   type.data(), type.size());
    h2o_send_inline(&request, body.data(), body.size());  // copies the body
}

std::shared_ptr<Pending> Pending::create(h2o_req_t& request) {
    using Shared = std::shared_ptr<Pending>;
    const Shared pending(new Pending(request));
    // libh2o disposes of what belongs to a request's pool when the request ends.
    void* const place = h2o_mem_alloc_shared(&request.pool, sizeof(Shared), [](void* place) {
        Shared* const ended = static_cast<Shared*>(place);
        (*ended)->request_ = nullptr;
        ended->~Shared();
    });
    new (place) Shared(pending);
    return pending;
}

void Pending::reply(std::string_view type, std::string_view body) {
    if (h2o_req_t* const request = std::exchange(request_, nullptr))
        web::reply(*request, type, body);
}

void Pending::fail() {
    if (h2o_req_t* const request = std::exchange(request_, nullptr))
        h2o_send_error_500(request, "Internal Server Error", "internal error", 0);
}

}  // namespace web
