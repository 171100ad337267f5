package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	harness "runfair/harness/go"
)

var defaultQueries = map[string][]string{
	"hadoop": {
		"] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
		" container_1445144423722_0001_01_000007 ",
		"[fetcher#7] ",
		" attempt_*_0001_m_000003_1 is : ",
		"WARN * Slow ReadProcessor * took *77 ms; ack",
		" ip=/10.0.3.7 cmd=open ",
		"ERROR * Giving up * node-07.cluster.example:8020;",
	},
	"spark": {
		" spark.ContextCleaner: Started accumulator for stage ",
		" rdd_42_7 ",
		" boot = 17, ",
		" broadcast_1*7_piece0 stored ",
		"Finished task * in stage 12.0 (TID *). 2077 bytes",
		" ip=/10.0.3.7 cmd=remove ",
		"WARN util.Utils: Lost * retry 3 of 4",
	},
}

// readQueries reads the queries of a file, one a line.
func readQueries(path string) ([]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("queries %q cannot be read; name a file of queries, one a line", path)
	}
	var queries []string
	for number := 1; len(content) > 0; number++ {
		var line []byte
		line, content = nextLine(content)
		for _, b := range line {
			if b < ' ' || b > '~' {
				return nil, fmt.Errorf("line %d of queries %q: a query is printable ASCII", number, path)
			}
		}
		if len(line) > 0 {
			queries = append(queries, string(line))
		}
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("queries %q holds no queries; write one a line", path)
	}
	return queries, nil
}

// logFiles are the paths of the files of a folder, in the order of their names.
func logFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, harness.CannotBeRead(folder, err)
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		// Through links, which an entry's own type does not tell.
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, b := range []byte(entry.Name()) {
			if b >= 128 {
				return nil, fmt.Errorf("input %q holds %q: rename it to ASCII", folder, entry.Name())
			}
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("input %q holds no files; give a folder of logs", folder)
	}
	slices.Sort(paths)
	return paths, nil
}

func readLog(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, harness.CannotBeRead(path, err)
	}
	return content, nil
}
