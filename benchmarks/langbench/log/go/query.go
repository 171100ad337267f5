package main

import (
	"regexp"
	"strings"
)

// matches tells whether the text holds all pieces, in order and without overlap.
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

// part is a token of the query that is not whole, but surely part of a variable
// of the dictionary.
type part struct {
	text   string
	begins bool // the variable begins with it
	ends   bool
}

func (p part) isPartOf(variable string) bool {
	switch {
	case p.begins:
		return strings.HasPrefix(variable, p.text)
	case p.ends:
		return strings.HasSuffix(variable, p.text)
	default:
		return strings.Contains(variable, p.text)
	}
}

// query is cut into what the index knows.
type query struct {
	pieces    []string
	fragments []string
	numbers   []int64
	variables []string
	parts     []part
}

func newQuery(text string) *query {
	q := &query{}
	for _, piece := range strings.Split(text, "*") {
		if piece != "" {
			q.pieces = append(q.pieces, piece)
			q.cut([]byte(piece))
		}
	}
	return q
}

var special = regexp.MustCompile(`[\\^$.|?+()\[\]{}]`)

// expression is the regular expression that finds the query in a line.
func (q *query) expression() *regexp.Regexp {
	escaped := make([]string, len(q.pieces))
	for i, piece := range q.pieces {
		escaped[i] = special.ReplaceAllString(piece, `\$0`)
	}
	return regexp.MustCompile(strings.Join(escaped, `[^\n]*`))
}

func (q *query) cut(piece []byte) {
	var fragment []byte
	done := 0
	for t := nextToken(piece, 0); t.begin < len(piece); t = nextToken(piece, t.end) {
		fragment = append(fragment, piece[done:t.begin]...)
		done = t.end
		if t.begin > 0 && t.end < len(piece) {
			fragment = q.addWhole(piece, t, fragment)
		} else {
			q.end(fragment)
			fragment = nil
			q.addPart(piece, t)
		}
	}
	q.end(append(fragment, piece[done:]...))
}

func (q *query) end(fragment []byte) {
	if len(fragment) > 0 {
		q.fragments = append(q.fragments, string(fragment))
	}
}

// addWhole adds to the fragment what stands in a log type for a token between
// delimiters.
func (q *query) addWhole(piece []byte, t token, fragment []byte) []byte {
	text := piece[t.begin:t.end]
	if !isVariable(piece, t) {
		return append(fragment, text...)
	}
	if code, ok := numberCode(text); ok {
		q.numbers = append(q.numbers, code)
		return append(fragment, numberPlaceholder)
	}
	q.variables = append(q.variables, string(text))
	return append(fragment, variablePlaceholder)
}

func (q *query) addPart(piece []byte, t token) {
	text := string(piece[t.begin:t.end])
	maybeNumber := strings.Trim(text, "0123456789-.") == ""
	if isVariable(piece, t) && !maybeNumber {
		q.parts = append(q.parts, part{text, t.begin > 0, t.end < len(piece)})
	}
}

// condition is that one of a message's variables is of this kind and has one of
// these values.
type condition struct {
	kind   byte
	values map[int64]bool
}

func (c *condition) holds(kinds []byte, values []int64) bool {
	for slot, kind := range kinds {
		if kind == c.kind && c.values[values[slot]] {
			return true
		}
	}
	return false
}

// plan is what a message must have to be a candidate of a query.
type plan struct {
	query      *query
	archive    *archive
	wanted     []bool // by log type
	conditions []condition
}

func newPlan(q *query, a *archive, counts *counters) *plan {
	p := &plan{query: q, archive: a, wanted: make([]bool, len(a.logTypes))}
	for i := range a.logTypes {
		counts.scanned++ // tick
		p.wanted[i] = matches(a.logTypes[i].text, q.fragments)
	}
	for _, code := range q.numbers {
		p.conditions = append(p.conditions, condition{numberPlaceholder, map[int64]bool{code: true}})
	}
	for _, text := range q.variables {
		ids := map[int64]bool{}
		if id, known := a.variables.ids[text]; known {
			ids[int64(id)] = true
		}
		p.conditions = append(p.conditions, condition{variablePlaceholder, ids})
	}
	for _, part := range q.parts {
		ids := map[int64]bool{}
		for id, variable := range a.variables.texts {
			counts.scanned++ // tick
			if part.isPartOf(variable) {
				ids[int64(id)] = true
			}
		}
		p.conditions = append(p.conditions, condition{variablePlaceholder, ids})
	}
	return p
}

// search appends the lines of a file that match. Candidates are the messages
// whose type is wanted and whose variables fulfil the conditions; they alone are
// decoded.
func (p *plan) search(found []match, file int, m *messages, counts *counters) []match {
	at := 0
	for _, id := range m.types {
		t := &p.archive.logTypes[id]
		values := m.values[at : at+len(t.kinds)]
		at += len(t.kinds)
		if !p.wanted[id] || !p.fulfilled(t, values) {
			continue
		}
		counts.candidates++ // tick
		if line := string(p.archive.decode(nil, t, values)); matches(line, p.query.pieces) {
			counts.matches++ // tick
			found = append(found, match{file, line})
		}
	}
	return found
}

func (p *plan) fulfilled(t *logType, values []int64) bool {
	for i := range p.conditions {
		if !p.conditions[i].holds(t.kinds, values) {
			return false
		}
	}
	return true
}
