// What each command of one connection replies; see langbench/key-value/contract.md, "Commands".

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "counts.hpp"
#include "requests.hpp"
#include "store.hpp"

namespace plain {

constexpr std::size_t commands = 13;
constexpr std::size_t most_quoted = 128;

using Words = std::vector<std::string>;

// Changes ASCII letters only.
inline std::string lower(std::string word) {
    for (char& c : word) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return word;
}

inline std::string error(std::string text) {
    std::replace(text.begin(), text.end(), '\r', ' ');
    std::replace(text.begin(), text.end(), '\n', ' ');
    return '-' + text + "\r\n";
}

inline std::string simple(const std::string& text) {
    return '+' + text + "\r\n";
}

inline std::string integer(std::size_t value) {
    return ':' + std::to_string(value) + "\r\n";
}

inline std::string bulk(const std::string& value) {
    return '$' + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

inline std::string wrong_number(const std::string& name) {
    return error("ERR wrong number of arguments for '" + name + "' command");
}

inline std::string unknown_subcommand(const std::string& name, const std::string& word) {
    return error("ERR unknown subcommand '" + word.substr(0, most_quoted) + "'. Try " + name +
                 " HELP.");
}

inline std::string unknown(const Words& words) {
    std::string quoted;
    for (std::size_t i = 1; i < words.size(); i++) {
        if (quoted.size() < most_quoted)
            quoted += '\'' + words[i].substr(0, most_quoted - quoted.size()) + "' ";
    }
    return error("ERR unknown command '" + words[0].substr(0, most_quoted) +
                 "', with args beginning with: " + quoted);
}

inline std::string select(const std::string& word) {
    const auto index = number(word);
    if (!index)
        return error("ERR value is not an integer or out of range");
    return *index == 0 ? simple("OK") : error("ERR DB index is out of range");
}

inline std::string config(const Words& words) {
    if (lower(words[1]) != "get")
        return unknown_subcommand("CONFIG", words[1]);
    if (words.size() < 3)
        return wrong_number("config|get");
    const auto asked = [&words](const std::string& name) {
        return std::any_of(words.begin() + 2, words.end(), [&name](const std::string& word) {
            return word == "*" || lower(word) == name;
        });
    };
    std::size_t found = 0;
    std::string text;
    if (asked("save")) {
        found += 2;
        text += bulk("save") + bulk("");
    }
    if (asked("appendonly")) {
        found += 2;
        text += bulk("appendonly") + bulk("no");
    }
    return '*' + std::to_string(found) + "\r\n" + text;
}

inline std::string command(const Words& words) {
    if (words.size() == 1 || lower(words[1]) == "docs")
        return "*0\r\n";
    if (lower(words[1]) != "count")
        return unknown_subcommand("COMMAND", words[1]);
    return words.size() == 2 ? integer(commands) : wrong_number("command|count");
}

class Session {
public:
    Session(Store& store, bool counting, std::function<void(Counts&)> add_all)
        : store_(store), counting_(counting), add_all_(std::move(add_all)) {}

    Counts counts;
    bool open = true;

    std::string reply(const Words& words) {
        counts.processed++;
        const std::string name = lower(words[0]);
        const std::size_t size = words.size();
        if (name == "get")
            return size == 2 ? get(words[1]) : wrong_number(name);
        if (name == "set")
            return size >= 3 ? set(words) : wrong_number(name);
        if (name == "del")
            return size >= 2 ? del(words) : wrong_number(name);
        if (name == "exists")
            return size >= 2 ? exists(words) : wrong_number(name);
        if (name == "ping") {
            if (size > 2)
                return wrong_number(name);
            return size == 2 ? bulk(words[1]) : simple("PONG");
        }
        if (name == "dbsize")
            return size == 1 ? integer(store_.entries()) : wrong_number(name);
        if (name == "flushall") {
            if (size > 1)
                return error("ERR syntax error");
            store_.clear();
            return simple("OK");
        }
        if (name == "select")
            return size == 2 ? select(words[1]) : wrong_number(name);
        if (name == "info")
            return bulk(info());
        if (name == "config")
            return size >= 2 ? config(words) : wrong_number(name);
        if (name == "command")
            return command(words);
        if (name == "debug")
            return size >= 2 ? debug(words) : wrong_number(name);
        if (name == "quit") {
            open = false;
            return simple("OK");
        }
        return unknown(words);
    }

private:
    std::string get(const std::string& key) {
        counts.gets++;  // tick
        const auto value = store_.get(key, counts);
        if (!value) {
            counts.misses++;
            return "$-1\r\n";
        }
        counts.hits++;
        return bulk(*value);
    }

    std::string set(const Words& words) {
        if (words.size() > 3)
            return error("ERR syntax error");
        if (!store_.set(words[1], words[2], counts))
            return error("OOM command not allowed when used memory > 'maxmemory'.");
        counts.sets++;  // tick
        return simple("OK");
    }

    std::string del(const Words& words) {
        std::size_t removed = 0;
        for (std::size_t i = 1; i < words.size(); i++) {
            if (store_.remove(words[i], counts))
                removed++;
        }
        return integer(removed);
    }

    std::string exists(const Words& words) {
        std::size_t there = 0;
        for (std::size_t i = 1; i < words.size(); i++) {
            if (store_.get(words[i], counts))
                there++;
        }
        return integer(there);
    }

    std::string info() {
        Counts sum;
        add_all_(sum);
        const std::size_t entries = store_.entries();
        std::string text =
            "# Server\r\nredis_version:0.0.0\r\nserver_name:runfair-key-value\r\nlanguage:c++\r\n";
        const auto line = [&text](const std::string& name, std::uint64_t value) {
            text += name + ':' + std::to_string(value) + "\r\n";
        };
        line("rows", store_.rows());
        line("capacity_bytes", store_.capacity);
        text += "\r\n# Stats\r\n";
        line("total_commands_processed", sum.processed);
        line("keyspace_hits", sum.hits);
        line("keyspace_misses", sum.misses);
        line("evicted_keys", sum.evictions);
        if (counting_) {
            text += "\r\n# Runfair\r\n";
            for (const auto& [name, count] : sum.counters(entries))
                line(name, count);
        }
        text += "\r\n# Keyspace\r\n";
        if (entries > 0)
            text += "db0:keys=" + std::to_string(entries) + ",expires=0,avg_ttl=0\r\n";
        return text;
    }

    std::string debug(const Words& words) {
        if (lower(words[1]) != "digest")
            return unknown_subcommand("DEBUG", words[1]);
        if (words.size() > 2)
            return wrong_number("debug|digest");
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx",
                      static_cast<unsigned long long>(store_.digest()));
        return simple(digits);
    }

    Store& store_;
    bool counting_;
    std::function<void(Counts&)> add_all_;  // adds the counts of all connections
};

}  // namespace plain
