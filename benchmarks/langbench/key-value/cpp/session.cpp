#include "session.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "locality.hpp"

namespace key_value {

namespace {

constexpr std::size_t most_quoted_bytes = 128;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> settings{
    {{"save", ""}, {"appendonly", "no"}}};

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return lowered;
}

void wrong_number(Session& session, std::string_view name) {
    session.replies.error("ERR wrong number of arguments for '" + std::string(name) + "' command");
}

void unknown_subcommand(Session& session, std::string_view name, std::string_view word) {
    session.replies.error("ERR unknown subcommand '" +
                          std::string(word.substr(0, most_quoted_bytes)) + "'. Try " +
                          std::string(name) + " HELP.");
}

void unknown(Session& session, const Words& words) {
    std::string quoted;
    for (const std::string& word : std::span(words).subspan(1)) {
        if (quoted.size() >= most_quoted_bytes)
            break;
        quoted += '\'' + word.substr(0, most_quoted_bytes - quoted.size()) + "' ";
    }
    session.replies.error("ERR unknown command '" + words[0].substr(0, most_quoted_bytes) +
                          "', with args beginning with: " + quoted);
}

void get(Session& session, Words& words) {
    const auto reply = [&session](std::string_view value) { session.replies.bulk(value); };
    if (session.store.get(words[1], session.statistics, reply)) {
        session.statistics.hits++;
    } else {
        session.statistics.misses++;
        session.replies.null_bulk();
    }
}

void set(Session& session, Words& words) {
    if (words.size() > 3)
        return session.replies.error("ERR syntax error");
    if (!session.store.set(std::move(words[1]), std::move(words[2]), session.statistics)) {
        return session.replies.error("OOM command not allowed when used memory > 'maxmemory'.");
    }
    session.statistics.sets++;  // tick
    session.replies.simple("OK");
}

void del(Session& session, Words& words) {
    std::uint64_t removed = 0;
    for (const std::string& key : std::span(words).subspan(1))
        removed += session.store.remove(key, session.statistics);
    session.replies.integer(removed);
}

void exists(Session& session, Words& words) {
    std::uint64_t found = 0;
    for (const std::string& key : std::span(words).subspan(1))
        found += session.store.get(key, session.statistics, [](std::string_view) {});
    session.replies.integer(found);
}

void ping(Session& session, Words& words) {
    if (words.size() == 1)
        return session.replies.simple("PONG");
    session.replies.bulk(words[1]);
}

void dbsize(Session& session, Words&) {
    session.replies.integer(session.store.entries());
}

void flushall(Session& session, Words& words) {
    if (words.size() > 1)
        return session.replies.error("ERR syntax error");
    session.store.clear();
    session.replies.simple("OK");
}

void select(Session& session, Words& words) {
    const auto index = number(words[1]);
    if (!index)
        return session.replies.error("ERR value is not an integer or out of range");
    if (*index != 0)
        return session.replies.error("ERR DB index is out of range");
    session.replies.simple("OK");
}

void info(Session& session, Words&) {
    Store& store = session.store;
    const Counts told = session.totals.sum();
    const std::size_t entries = store.entries();
    std::string text;
    const auto line = [&text](std::string_view name, std::uint64_t value) {
        text.append(name).append(":").append(std::to_string(value)).append("\r\n");
    };
    text += "# Server\r\nredis_version:0.0.0\r\nserver_name:runfair-key-value\r\nlanguage:c++\r\n";
    line("rows", store.rows());
    line("capacity_bytes", store.capacity_bytes());
    text += "\r\n# Stats\r\n";
    line("total_commands_processed", told.commands);
    line("keyspace_hits", told.hits);
    line("keyspace_misses", told.misses);
    line("evicted_keys", told.evictions);
    if (session.sections.addresses) {
        const Locality locality(store.distances());
        text += "\r\n# Locality\r\n";
        line("pairs", locality.pairs);
        line("median_distance_bytes", locality.median_bytes);
        line("different_distances", locality.different);
        line("frequent_distance_bytes", locality.frequent.bytes);
        line("frequent_distance_pairs", locality.frequent.pairs);
        line("next_frequent_distance_bytes", locality.next_frequent.bytes);
        line("next_frequent_distance_pairs", locality.next_frequent.pairs);
    }
    if (session.sections.operations) {
        text += "\r\n# Runfair\r\n";
        for (const auto& [name, count] : told.operations(entries))
            line(name, count);
    }
    text += "\r\n# Keyspace\r\n";
    if (entries > 0)
        text += "db0:keys=" + std::to_string(entries) + ",expires=0,avg_ttl=0\r\n";
    session.replies.bulk(text);
}

void config(Session& session, Words& words) {
    if (lower(words[1]) != "get")
        return unknown_subcommand(session, "CONFIG", words[1]);
    if (words.size() == 2)
        return wrong_number(session, "config|get");
    const auto asked = [&words](std::string_view name) {
        return std::any_of(words.begin() + 2, words.end(), [name](const std::string& word) {
            return word == "*" || lower(word) == name;
        });
    };
    std::vector<std::string_view> told;
    for (const auto& [name, value] : settings) {
        if (asked(name))
            told.insert(told.end(), {name, value});
    }
    session.replies.array(told.size());
    for (const std::string_view text : told)
        session.replies.bulk(text);
}

void command(Session& session, Words& words);

void debug(Session& session, Words& words) {
    if (lower(words[1]) != "digest")
        return unknown_subcommand(session, "DEBUG", words[1]);
    if (words.size() > 2)
        return wrong_number(session, "debug|digest");
    std::array<char, 17> digits;
    std::snprintf(digits.data(), digits.size(), "%016llx",
                  static_cast<unsigned long long>(session.store.digest()));
    session.replies.simple(digits.data());
}

void quit(Session& session, Words&) {
    session.open = false;
    session.replies.simple("OK");
}

// How many words it takes, its name among them, and what it does.
struct Command {
    void (*carry_out)(Session&, Words&);
    std::size_t least;
    std::size_t most;
};

const std::unordered_map<std::string_view, Command> command_table{
    {"get", {get, 2, 2}},
    {"set", {set, 3, unlimited}},
    {"del", {del, 2, unlimited}},
    {"exists", {exists, 2, unlimited}},
    {"ping", {ping, 1, 2}},
    {"dbsize", {dbsize, 1, 1}},
    {"flushall", {flushall, 1, unlimited}},
    {"select", {select, 2, 2}},
    {"info", {info, 1, unlimited}},
    {"config", {config, 2, unlimited}},
    {"command", {command, 1, unlimited}},
    {"debug", {debug, 2, unlimited}},
    {"quit", {quit, 1, unlimited}},
};

void command(Session& session, Words& words) {
    if (words.size() == 1 || lower(words[1]) == "docs")
        return session.replies.array(0);
    if (lower(words[1]) != "count")
        return unknown_subcommand(session, "COMMAND", words[1]);
    if (words.size() > 2)
        return wrong_number(session, "command|count");
    session.replies.integer(command_table.size());
}

}  // namespace

void Session::answer(Words& words) {
    statistics.commands++;
    const std::string name = lower(words[0]);
    const auto known = command_table.find(name);
    if (known == command_table.end())
        return unknown(*this, words);
    const Command& command = known->second;
    if (words.size() < command.least || words.size() > command.most)
        return wrong_number(*this, name);
    command.carry_out(*this, words);
}

}  // namespace key_value
