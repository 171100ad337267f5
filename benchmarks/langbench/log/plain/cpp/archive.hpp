// What the files hold, encoded: two dictionaries, and the messages of each file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counts.hpp"
#include "folder.hpp"
#include "tokens.hpp"

namespace plain {

// Texts with their ids, from 0 on.
struct Dictionary {
    std::unordered_map<std::string, std::int64_t> ids;
    std::vector<std::string> texts;

    // The text's id, and whether it is new.
    std::pair<std::int64_t, bool> enter(const std::string& text) {
        const auto [entry, entered] =
            ids.try_emplace(text, static_cast<std::int64_t>(texts.size()));
        if (entered)
            texts.push_back(text);
        return {entry->second, entered};
    }
};

struct Message {
    std::size_t type;
    std::vector<std::int64_t> values;
};

struct Archive {
    Dictionary types;
    Dictionary variables;
    std::vector<std::vector<Message>> files;

    void parse(const std::string& content) {
        std::vector<Message>& messages = files.emplace_back();
        for_lines(content, [&](std::string_view line) {
            lines++;  // tick
            Message message;
            std::string type;
            std::size_t at = 0;
            while (at < line.size()) {
                if (!is_token_byte(line[at])) {
                    type += line[at];
                    at++;
                    continue;
                }
                const std::size_t begin = at;
                while (at < line.size() && is_token_byte(line[at]))
                    at++;
                tokens++;  // tick
                const std::string_view token = line.substr(begin, at - begin);
                if (!is_variable(line, begin, at)) {
                    type += token;
                } else if (const auto code = number_code(token)) {
                    numbers++;  // tick
                    message.values.push_back(*code);
                    type += number_placeholder;
                } else {
                    references++;  // tick
                    const auto [id, entered] = variables.enter(std::string(token));
                    if (entered) {
                        variable_entries++;  // tick
                    }
                    message.values.push_back(id);
                    type += variable_placeholder;
                }
            }
            const auto [id, entered] = types.enter(type);
            if (entered) {
                log_types++;  // tick
            }
            message.type = static_cast<std::size_t>(id);
            messages.push_back(std::move(message));
        });
    }

    std::string decode(const Message& message) const {
        std::string line;
        std::size_t slot = 0;
        for (const char byte : types.texts[message.type]) {
            if (byte == number_placeholder)
                line += number_text(message.values[slot++]);
            else if (byte == variable_placeholder)
                line += variables.texts[static_cast<std::size_t>(message.values[slot++])];
            else
                line += byte;
        }
        return line;
    }
};

}  // namespace plain
