// The folder of logs, and the queries that are asked.

#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "archive.hpp"
#include "query.hpp"
#include "runfair/options.hpp"

namespace clp {

inline std::vector<Query> default_queries(std::string_view workload) {
    std::vector<Query> queries;
    if (workload == "hadoop") {
        for (const std::string_view text :
             {"] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
              " container_1445144423722_0001_01_000007 ", "[fetcher#7] ",
              " attempt_*_0001_m_000003_1 is : ", "WARN * Slow ReadProcessor * took *77 ms; ack",
              " ip=/10.0.3.7 cmd=open ", "ERROR * Giving up * node-07.cluster.example:8020;"})
            queries.emplace_back(text);
    } else {
        for (const std::string_view text :
             {" spark.ContextCleaner: Started accumulator for stage ", " rdd_42_7 ", " boot = 17, ",
              " broadcast_1*7_piece0 stored ", "Finished task * in stage 12.0 (TID *). 2077 bytes",
              " ip=/10.0.3.7 cmd=remove ", "WARN util.Utils: Lost * retry 3 of 4"})
            queries.emplace_back(text);
    }
    return queries;
}

// The queries of a file, one a line.
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
    for_each_line(content, [&](std::string_view line) {
        ++number;
        const auto is_printable = [](char byte) { return ' ' <= byte && byte <= '~'; };
        if (!std::all_of(line.begin(), line.end(), is_printable)) {
            throw runfair::UserError("line " + std::to_string(number) + " of " + named +
                                     ": a query is printable ASCII");
        }
        if (!line.empty())
            queries.emplace_back(line);
    });
    if (queries.empty())
        throw runfair::UserError(named + " holds no queries; write one a line");
    return queries;
}

// Paths of the files of a folder, in the order of their names.
inline std::vector<std::string> log_files(const std::string& folder) {
    const std::string named = "input " + runfair::quoted(folder);
    std::vector<std::string> names;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.is_regular_file())
                names.push_back(entry.path().filename());
        }
    } catch (const std::filesystem::filesystem_error& error) {
        throw runfair::UserError(named + " cannot be read: " + error.code().message());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 128; };
        if (!std::all_of(name.begin(), name.end(), is_ascii)) {
            throw runfair::UserError(named + " holds " + runfair::quoted(name) +
                                     ": rename it to ASCII");
        }
    }
    if (names.empty())
        throw runfair::UserError(named + " holds no files; give a folder of logs");
    std::vector<std::string> paths;
    for (const std::string& name : names)
        paths.push_back(std::filesystem::path(folder) / name);
    return paths;
}

}  // namespace clp
