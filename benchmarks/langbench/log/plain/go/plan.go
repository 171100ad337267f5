// The search for one query in the index.

package main

import "strings"

// condition asks that one of a message's variables is of this kind and has one of these values.
type condition struct {
	kind   byte
	values map[int64]bool
}

type plan struct {
	query      *query
	archive    *archive
	wanted     []bool
	conditions []condition
}

func newPlan(q *query, a *archive) *plan {
	p := &plan{query: q, archive: a}
	for _, logType := range a.types {
		counts.scanned++ // tick
		p.wanted = append(p.wanted, matches(logType, q.fragments))
	}
	for _, code := range q.numbers {
		p.conditions = append(p.conditions, condition{numberPlaceholder, map[int64]bool{code: true}})
	}
	for _, text := range q.variables {
		values := map[int64]bool{}
		if id, known := a.variableIDs[text]; known {
			values[id] = true
		}
		p.conditions = append(p.conditions, condition{variablePlaceholder, values})
	}
	for _, part := range q.parts {
		values := map[int64]bool{}
		for id, text := range a.variables {
			counts.scanned++ // tick
			if part.isPartOf(text) {
				values[int64(id)] = true
			}
		}
		p.conditions = append(p.conditions, condition{variablePlaceholder, values})
	}
	return p
}

func (p *plan) search(messages []message, found []string) []string {
	for _, m := range messages {
		if !p.wanted[m.logType] || !p.fulfilled(m) {
			continue
		}
		counts.candidates++ // tick
		line := p.archive.decode(m)
		if matches(line, p.query.pieces) {
			counts.matches++ // tick
			found = append(found, line)
		}
	}
	return found
}

func (p *plan) fulfilled(m message) bool {
	logType := p.archive.types[m.logType]
	for _, condition := range p.conditions {
		holds, slot := false, 0
		for i := 0; i < len(logType); i++ {
			if isPlaceholder(logType[i]) {
				holds = holds || logType[i] == condition.kind && condition.values[m.values[slot]]
				slot++
			}
		}
		if !holds {
			return false
		}
	}
	return true
}

func matches(text string, pieces []string) bool {
	for _, piece := range pieces {
		at := strings.Index(text, piece)
		if at < 0 {
			return false
		}
		text = text[at+len(piece):]
	}
	return true
}
