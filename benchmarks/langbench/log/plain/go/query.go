// Queries, cut at their asterisks and at tokens that are not whole.

package main

import (
	"regexp"
	"strings"
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

// part is a token of the query that is not whole, but surely part of a variable.
type part struct {
	text         string
	begins, ends bool
}

func (p part) isPartOf(variable string) bool {
	if p.begins {
		return strings.HasPrefix(variable, p.text)
	}
	if p.ends {
		return strings.HasSuffix(variable, p.text)
	}
	return strings.Contains(variable, p.text)
}

type query struct {
	pieces, fragments []string
	numbers           []int64
	variables         []string
	parts             []part
}

func newQuery(text string) *query {
	q := &query{}
	for _, piece := range strings.Split(text, "*") {
		if piece != "" {
			q.pieces = append(q.pieces, piece)
			q.cut(piece)
		}
	}
	return q
}

func (q *query) cut(piece string) {
	fragment := ""
	for at := 0; at < len(piece); {
		begin := at
		for at < len(piece) && isTokenByte(piece[at]) {
			at++
		}
		if at == begin {
			fragment += piece[at : at+1]
			at++
		} else if begin > 0 && at < len(piece) {
			fragment += q.whole(piece, begin, at)
		} else {
			q.end(fragment)
			fragment = ""
			q.cutPart(piece, begin, at)
		}
	}
	q.end(fragment)
}

func (q *query) end(fragment string) {
	if fragment != "" {
		q.fragments = append(q.fragments, fragment)
	}
}

func (q *query) whole(piece string, begin, end int) string {
	token := piece[begin:end]
	if !isVariable(piece, begin, end) {
		return token
	}
	if code, isNumber := numberCode(token); isNumber {
		q.numbers = append(q.numbers, code)
		return string(rune(numberPlaceholder))
	}
	q.variables = append(q.variables, token)
	return string(rune(variablePlaceholder))
}

func (q *query) cutPart(piece string, begin, end int) {
	token := piece[begin:end]
	if strings.Trim(token, "0123456789-.") == "" {
		return
	}
	if isVariable(piece, begin, end) {
		q.parts = append(q.parts, part{token, begin > 0, end < len(piece)})
	}
}

func (q *query) expression() *regexp.Regexp {
	var quoted []string
	for _, piece := range q.pieces {
		quoted = append(quoted, regexp.QuoteMeta(piece))
	}
	return regexp.MustCompile(strings.Join(quoted, "[^\\n]*"))
}
