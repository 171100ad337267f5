#include "tls_sessions.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

namespace sparrow {

namespace {

constexpr std::size_t kMostPeers = 256;

using Session = std::unique_ptr<SSL_SESSION, decltype([](auto* one) { SSL_SESSION_free(one); })>;
using Sessions = std::unordered_map<std::string, Session>;

template <typename T>
void end(void*, void* one, CRYPTO_EX_DATA*, int, long, void*) {
    delete static_cast<T*>(one);
}

// Where a context has its sessions, and a connection the name of its peer.
int sessions_index() {
    static const int own = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, end<Sessions>);
    return own;
}

int peer_index() {
    static const int own = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, end<std::string>);
    return own;
}

Sessions& sessions_of(SSL* tls) {
    return *static_cast<Sessions*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(tls), sessions_index()));
}

// 1: owns the session from now on.
int keep(SSL* tls, SSL_SESSION* session) {
    const auto* peer = static_cast<std::string*>(SSL_get_ex_data(tls, peer_index()));
    Sessions& sessions = sessions_of(tls);
    if (sessions.size() == kMostPeers && !sessions.contains(*peer))
        sessions.erase(sessions.begin());
    sessions[*peer].reset(session);
    return 1;
}

}  // namespace

void keep_sessions(SSL_CTX* context) {
    SSL_CTX_set_ex_data(context, sessions_index(), new Sessions);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, keep);
}

void resume_session(SSL* tls, std::string peer) {
    Sessions& sessions = sessions_of(tls);
    if (const auto found = sessions.find(peer); found != sessions.end()) {
        SSL_set_session(tls, found->second.get());
        // RFC 8446, C.4: a ticket of TLS 1.3 is used once, so that nobody links two connections.
        if (SSL_SESSION_get_protocol_version(found->second.get()) >= TLS1_3_VERSION)
            sessions.erase(found);
    }
    SSL_set_ex_data(tls, peer_index(), new std::string(std::move(peer)));
}

}  // namespace sparrow
