// The input: a folder of logs, and a file of queries.

package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"sort"
	"strings"

	harness "runfair/harness/go"
)

func readQueries(path string) ([]string, error) {
	content, err := ioutil.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("queries %q cannot be read; name a file of queries, one a line", path)
	}
	var queries []string
	for index, line := range linesOf(string(content)) {
		for i := 0; i < len(line); i++ {
			if line[i] < ' ' || line[i] > '~' {
				return nil, fmt.Errorf("line %d of queries %q: a query is printable ASCII", index+1, path)
			}
		}
		if line != "" {
			queries = append(queries, line)
		}
	}
	if queries == nil {
		return nil, fmt.Errorf("queries %q holds no queries; write one a line", path)
	}
	return queries, nil
}

func logFiles(folder string) ([]string, error) {
	entries, err := ioutil.ReadDir(folder)
	if err != nil {
		return nil, harness.CannotBeRead(folder, err)
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		for i := 0; i < len(entry.Name()); i++ {
			if entry.Name()[i] >= 128 {
				return nil, fmt.Errorf("input %q holds %q: rename it to ASCII", folder, entry.Name())
			}
		}
		paths = append(paths, path)
	}
	if paths == nil {
		return nil, fmt.Errorf("input %q holds no files; give a folder of logs", folder)
	}
	sort.Strings(paths)
	return paths, nil
}

func read(path string) (string, error) {
	content, err := ioutil.ReadFile(path)
	if err != nil {
		return "", harness.CannotBeRead(path, err)
	}
	return string(content), nil
}

func linesOf(content string) []string {
	if content == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(content, "\n"), "\n")
}
