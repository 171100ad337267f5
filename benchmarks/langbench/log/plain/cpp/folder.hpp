// The input: a folder of logs, and a file of queries.

#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "query.hpp"
#include "runfair/options.hpp"

namespace plain {

// Calls `visit` with each line of a file.
template <class Visit>
void for_lines(const std::string& content, const Visit& visit) {
    const std::string_view text = content;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == text.npos)
            end = text.size();
        visit(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

inline std::vector<Query> read_queries(const std::string& path) {
    const std::string named = "queries " + runfair::quoted(path);
    std::string content;
    try {
        content = runfair::read(path);
    } catch (const runfair::UserError&) {
        throw runfair::UserError(named + " cannot be read; name a file of queries, one a line");
    }
    std::vector<Query> queries;
    std::size_t number = 0;
    for_lines(content, [&](std::string_view line) {
        number++;
        for (const char byte : line) {
            if (byte < ' ' || byte > '~') {
                throw runfair::UserError("line " + std::to_string(number) + " of " + named +
                                         ": a query is printable ASCII");
            }
        }
        if (!line.empty())
            queries.emplace_back(std::string(line));
    });
    if (queries.empty())
        throw runfair::UserError(named + " holds no queries; write one a line");
    return queries;
}

inline std::vector<std::string> log_files(const std::string& folder) {
    const std::string named = "input " + runfair::quoted(folder);
    std::vector<std::string> paths;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (!entry.is_regular_file())
                continue;
            const std::string name = entry.path().filename().string();
            for (const char byte : name) {
                if (static_cast<unsigned char>(byte) >= 128) {
                    throw runfair::UserError(named + " holds " + runfair::quoted(name) +
                                             ": rename it to ASCII");
                }
            }
            paths.push_back(entry.path().string());
        }
    } catch (const std::filesystem::filesystem_error& error) {
        throw runfair::UserError(named + " cannot be read: " + error.code().message());
    }
    if (paths.empty())
        throw runfair::UserError(named + " holds no files; give a folder of logs");
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace plain
