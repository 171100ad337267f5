// From the bytes of requests to the bytes of answers.

#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace web {

class Answers {
public:
    // Takes whole requests from the front of `received` and appends their answers to `unsent`.
    // False if what was received is no request: the connection is to be closed behind the answer.
    bool take(std::string& received, std::string& unsent);

private:
    void answer(std::string_view path, std::string& unsent);
    void append(std::string_view status, std::string_view type, std::string_view body,
                std::string& unsent);
    const std::string& date();

    std::time_t second_ = 0;
    std::string date_;
};

}  // namespace web
