package main

import "fmt"

// Count answers the queries and counts what the iteration made.
func (p *program) Count() (map[string]uint64, error) {
	if err := p.Run(); err != nil {
		return nil, err
	}
	counters := map[string]uint64{
		"lines": 0, "tokens": 0, "numbers": 0, "references": 0, "log_types": 0, "variables": 0,
		"scanned": 0, "candidates": 0, "matches": 0, "decoded_lines": 0,
	}
	for _, found := range p.results.matches {
		counters["matches"] += uint64(len(found))
	}
	if p.regexForm {
		return counters, p.countLines(counters)
	}
	return counters, p.countArchive(counters)
}

func (p *program) countLines(counters map[string]uint64) error {
	for _, path := range p.files {
		content, err := readLog(path)
		if err != nil {
			return err
		}
		for len(content) > 0 {
			_, content = nextLine(content)
			counters["lines"] += uint64(len(p.queries))
		}
	}
	return nil
}

// countArchive decodes every file and compares it with what is read anew.
func (p *program) countArchive(counters map[string]uint64) error {
	archive := p.results.archive
	counters["log_types"] = uint64(len(archive.logTypes))
	counters["variables"] = uint64(len(archive.variables.texts))
	for _, plan := range p.results.plans {
		counters["scanned"] += uint64(plan.scanned)
	}
	file := 0
	for _, block := range archive.blocks {
		for _, m := range block.files {
			content, err := readLog(p.files[file])
			if err != nil {
				return err
			}
			if string(archive.decodeFile(m)) != string(content) {
				panic(fmt.Sprintf("%s does not come back from its encoding", p.files[file]))
			}
			file++
			p.countFile(m, content, counters)
		}
	}
	return nil
}

func (p *program) countFile(m *messages, content []byte, counters map[string]uint64) {
	counters["lines"] += uint64(len(m.types))
	counters["decoded_lines"] += uint64(len(m.types))
	for _, id := range m.types {
		for _, kind := range p.results.archive.logTypes[id].kinds {
			if kind == numberPlaceholder {
				counters["numbers"]++
			} else {
				counters["references"]++
			}
		}
	}
	for t := nextToken(content, 0); t.begin < len(content); t = nextToken(content, t.end) {
		counters["tokens"]++
	}
	for _, plan := range p.results.plans {
		plan.forEachCandidate(m, func(*logType, []int64) { counters["candidates"]++ })
	}
}

func (a *archive) decodeFile(m *messages) []byte {
	var content []byte
	at := 0
	for _, id := range m.types {
		t := &a.logTypes[id]
		content = append(a.decode(content, t, m.values[at:at+len(t.kinds)]), '\n')
		at += len(t.kinds)
	}
	if len(content) > 0 && !m.ended {
		content = content[:len(content)-1]
	}
	return content
}
