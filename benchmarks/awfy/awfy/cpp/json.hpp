// Parses a document of operations on widgets; the answer is how many there are.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

#include "benchmark.hpp"
#include "json_parser.hpp"
#include "json_value.hpp"
#include "random.hpp"

namespace awfy {

class Json final : public Benchmark {
public:
    std::int64_t once() override {
        const auto document = std::make_unique<JsonParser>(text_)->parse();
        if (!document->is_object() || !document->as_object().get("head")->is_object())
            throw std::logic_error("the document has no head");
        const JsonValue* const operations = document->as_object().get("operations");
        if (!operations->is_array())
            throw std::logic_error("the document has no operations");
        return operations->as_array().size();
    }

private:
    static constexpr int operations = 156;

    static std::string document() {
        const auto random = std::make_unique<Random>();
        std::string text = R"({"head":{"counter":4,"valid":true},"operations":[)";
        for (int i = 0; i < operations; i++)
            text += (i == 0 ? "" : ",") + operation(i, *random);
        return text + "]}";
    }

    // Only a list in braces is evaluated from left to right.
    static std::string joined(std::initializer_list<std::string> parts) {
        std::string text;
        for (const std::string& part : parts)
            text += part;
        return text;
    }

    static std::string operation(int index, Random& random) {
        const auto number = [&random](int most) { return std::to_string(random.next() % most); };
        const int kind = random.next() % 3;
        const std::string start = R"(","w)" + std::to_string(index) + R"(",)";
        if (kind == 0) {
            return joined({R"(["create)", start, R"("Widget)", number(20), R"(",{"parent":"w)",
                           number(index + 1), R"(","style":["BORDER","FLAT"],"bounds":[)",
                           number(1000), ",", number(1000), ",", number(200), ",", number(50),
                           R"(],"tabIndex":-)", number(10), R"(,"visible":true}])"});
        }
        if (kind == 1) {
            return joined({R"(["set)", start, R"({"text":"Item \")", number(100),
                           R"(\"\n","selection":null,"weight":0.)", number(1000),
                           R"(e+2,"enabled":false}])"});
        }
        std::string entries;
        for (int i = 0; i < 3; i++) {
            entries += joined({i == 0 ? "" : ", ", R"({"key":"k)", number(40), R"(","value":)",
                               number(10'000), "}"});
        }
        return R"(["call)" + start + R"("update",{"values":[)" + entries + "]}]";
    }

    const std::string text_ = document();
};

}  // namespace awfy
