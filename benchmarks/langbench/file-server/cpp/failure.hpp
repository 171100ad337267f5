// Why a request is not answered with a file.

#pragma once

#include <string>
#include <utility>

namespace file_server {

// The status that the request is answered with, and a field that the head has besides.
struct Failure {
    explicit Failure(int failed, std::string besides = {})
        : status(failed), field(std::move(besides)) {}

    int status;
    std::string field;
};

}  // namespace file_server
