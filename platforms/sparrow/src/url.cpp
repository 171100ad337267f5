// URLs as the web parses them: by Ada, which the engine contains without its header.

#include <array>
#include <memory>
#include <string>

#include "binding.hpp"

// Of ada_c.h. The setters also return whether they have set something.
extern "C" {
struct ada_string {
    const char* data;
    std::size_t length;
};
using ada_url = void*;
using ada_get = ada_string(ada_url);
using ada_set = void(ada_url, const char*, std::size_t);

ada_url ada_parse(const char*, std::size_t);
ada_url ada_parse_with_base(const char*, std::size_t, const char* base, std::size_t);
bool ada_is_valid(ada_url);
void ada_free(ada_url);
void ada_free_owned_string(ada_string);
ada_get ada_get_href, ada_get_protocol, ada_get_username, ada_get_password, ada_get_host,
    ada_get_hostname, ada_get_port, ada_get_pathname, ada_get_search, ada_get_hash;
ada_get ada_get_origin;  // owned by the caller
ada_set ada_set_href, ada_set_protocol, ada_set_username, ada_set_password, ada_set_host,
    ada_set_hostname, ada_set_port, ada_set_pathname, ada_set_search, ada_set_hash;
}

namespace sparrow {

using v8::Local;

namespace {

struct Part {
    ada_get* get;
    ada_set* set;
};

// library/internal/url.js has the same order.
constexpr std::array<Part, 10> kParts = {{{ada_get_href, ada_set_href},
                                          {ada_get_protocol, ada_set_protocol},
                                          {ada_get_username, ada_set_username},
                                          {ada_get_password, ada_set_password},
                                          {ada_get_host, ada_set_host},
                                          {ada_get_hostname, ada_set_hostname},
                                          {ada_get_port, ada_set_port},
                                          {ada_get_pathname, ada_set_pathname},
                                          {ada_get_search, ada_set_search},
                                          {ada_get_hash, ada_set_hash}}};

using Url = std::unique_ptr<void, decltype([](ada_url url) { ada_free(url); })>;

Local<v8::Value> text_of(const ada_string& part) {
    return text({part.data, part.length});
}

// The text of each part, and the origin; undefined for what is no URL.
Local<v8::Value> parts_of(const Url& url) {
    if (!ada_is_valid(url.get()))
        return v8::Undefined(runtime().isolate);
    std::vector<Local<v8::Value>> all;
    for (const Part& part : kParts)
        all.push_back(text_of(part.get(url.get())));
    const ada_string origin = ada_get_origin(url.get());
    all.push_back(text_of(origin));
    ada_free_owned_string(origin);
    return value_of(all);
}

// parseUrl(text, base): `base` may be undefined.
Local<v8::Value> parse_url(const std::string& input, Local<v8::Value> base) {
    if (base->IsUndefined())
        return parts_of(Url(ada_parse(input.data(), input.size())));
    const std::string whole = utf8(base);
    return parts_of(
        Url(ada_parse_with_base(input.data(), input.size(), whole.data(), whole.size())));
}

// changeUrl(href, part, text): a part that the text cannot be stays.
Local<v8::Value> change_url(const std::string& href, int part, const std::string& input) {
    const Url url(ada_parse(href.data(), href.size()));
    kParts[static_cast<std::size_t>(part)].set(url.get(), input.data(), input.size());
    return parts_of(url);
}

}  // namespace

void define_urls(Local<v8::Object> native) {
    define(native, {{"parseUrl", bound<parse_url>}, {"changeUrl", bound<change_url>}});
}

}  // namespace sparrow
