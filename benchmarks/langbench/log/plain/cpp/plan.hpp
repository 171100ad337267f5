// The search for one query in the index.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "archive.hpp"
#include "counts.hpp"
#include "query.hpp"
#include "tokens.hpp"

namespace plain {

// One of a message's variables is of this kind and has one of these values.
struct Condition {
    char kind;
    std::unordered_set<std::int64_t> values;
};

inline bool matches(std::string_view text, const std::vector<std::string>& pieces) {
    std::size_t from = 0;
    for (const std::string& piece : pieces) {
        const std::size_t at = text.find(piece, from);
        if (at == text.npos)
            return false;
        from = at + piece.size();
    }
    return true;
}

struct Plan {
    const Query& query;
    std::vector<bool> wanted;
    std::vector<Condition> conditions;

    Plan(const Query& query, const Archive& archive) : query(query) {
        for (const std::string& type : archive.types.texts) {
            scanned++;  // tick
            wanted.push_back(matches(type, query.fragments));
        }
        for (const std::int64_t code : query.codes)
            conditions.push_back({number_placeholder, {code}});
        for (const std::string& text : query.texts) {
            Condition condition{variable_placeholder, {}};
            const auto known = archive.variables.ids.find(text);
            if (known != archive.variables.ids.end())
                condition.values.insert(known->second);
            conditions.push_back(condition);
        }
        for (const Part& part : query.parts) {
            Condition condition{variable_placeholder, {}};
            std::int64_t id = 0;
            for (const std::string& text : archive.variables.texts) {
                scanned++;  // tick
                if (part.is_part_of(text))
                    condition.values.insert(id);
                id++;
            }
            conditions.push_back(condition);
        }
    }

    void search(const Archive& archive, const std::vector<Message>& messages,
                std::vector<std::string>& found) const {
        for (const Message& message : messages) {
            if (!wanted[message.type] || !fulfilled(archive.types.texts[message.type], message))
                continue;
            candidates++;  // tick
            std::string line = archive.decode(message);
            if (matches(line, query.pieces)) {
                matching++;  // tick
                found.push_back(std::move(line));
            }
        }
    }

    bool fulfilled(const std::string& type, const Message& message) const {
        for (const Condition& condition : conditions) {
            bool holds = false;
            std::size_t slot = 0;
            for (const char byte : type) {
                if (!is_placeholder(byte))
                    continue;
                if (byte == condition.kind && condition.values.contains(message.values[slot]))
                    holds = true;
                slot++;
            }
            if (!holds)
                return false;
        }
        return true;
    }
};

}  // namespace plain
