// Queries, cut at their asterisks and at tokens that are not whole.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokens.hpp"

namespace plain {

// A token of the query that is not whole, but surely part of a variable.
struct Part {
    std::string text;
    bool begins;
    bool ends;

    bool is_part_of(const std::string& variable) const {
        if (begins)
            return variable.starts_with(text);
        if (ends)
            return variable.ends_with(text);
        return variable.find(text) != variable.npos;
    }
};

struct Query {
    std::vector<std::string> pieces;
    std::vector<std::string> fragments;
    std::vector<std::int64_t> codes;
    std::vector<std::string> texts;
    std::vector<Part> parts;

    explicit Query(const std::string& text) {
        std::string piece;
        for (const char byte : text + '*') {
            if (byte != '*') {
                piece += byte;
            } else if (!piece.empty()) {
                cut(piece);
                pieces.push_back(piece);
                piece.clear();
            }
        }
    }

    void cut(const std::string& piece) {
        std::string fragment;
        std::size_t at = 0;
        while (at < piece.size()) {
            if (!is_token_byte(piece[at])) {
                fragment += piece[at];
                at++;
                continue;
            }
            const std::size_t begin = at;
            while (at < piece.size() && is_token_byte(piece[at]))
                at++;
            if (begin > 0 && at < piece.size()) {
                fragment += whole(piece, begin, at);
            } else {
                add(fragment);
                fragment.clear();
                part(piece, begin, at);
            }
        }
        add(fragment);
    }

    void add(const std::string& fragment) {
        if (!fragment.empty())
            fragments.push_back(fragment);
    }

    std::string whole(const std::string& piece, std::size_t begin, std::size_t end) {
        const std::string token = piece.substr(begin, end - begin);
        if (!is_variable(piece, begin, end))
            return token;
        if (const auto code = number_code(token)) {
            codes.push_back(*code);
            return std::string(1, number_placeholder);
        }
        texts.push_back(token);
        return std::string(1, variable_placeholder);
    }

    void part(const std::string& piece, std::size_t begin, std::size_t end) {
        const std::string token = piece.substr(begin, end - begin);
        if (token.find_first_not_of("0123456789-.") == token.npos)
            return;
        if (is_variable(piece, begin, end))
            parts.push_back({token, begin > 0, end < piece.size()});
    }

    std::string expression() const {
        std::string expression;
        for (const std::string& piece : pieces) {
            if (!expression.empty())
                expression += "[^\\n]*";
            for (const char byte : piece) {
                if (std::string_view("\\^$.|?+()[]{}").find(byte) != std::string_view::npos)
                    expression += '\\';
                expression += byte;
            }
        }
        return expression;
    }
};

inline std::vector<Query> default_queries(const std::string& workload) {
    std::vector<std::string> texts = {
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    };
    if (workload == "hadoop") {
        texts = {
            "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
            " container_1445144423722_0001_01_000007 ",
            "[fetcher#7] ",
            " attempt_*_0001_m_000003_1 is : ",
            "WARN * Slow ReadProcessor * took *77 ms; ack",
            " ip=/10.0.3.7 cmd=open ",
            "ERROR * Giving up * node-07.cluster.example:8020;",
        };
    }
    return {texts.begin(), texts.end()};
}

}  // namespace plain
