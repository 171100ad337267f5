// The contract's pseudocode over strings, slices and maps: langbench/log/contract.md. Of the
// language it asks no more than Go 1.0 had.
package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	harness "runfair/harness/go"
)

const (
	variablePlaceholder = 17
	numberPlaceholder   = 18
	mostDigits          = 13
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

var counts struct {
	lines, tokens, numbers, references, logTypes, variables, scanned, candidates, matches uint64
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func isPlaceholder(b byte) bool { return b == variablePlaceholder || b == numberPlaceholder }

func isTokenByte(b byte) bool {
	switch b {
	case '+', '-', '.', '/', '_', '\\':
		return true
	}
	return isDigit(b) || isLetter(b) || isPlaceholder(b) || b >= 128
}

// isVariable is of the token text[begin:end].
func isVariable(text string, begin, end int) bool {
	letter := false
	for at := begin; at < end; at++ {
		if isDigit(text[at]) || isPlaceholder(text[at]) {
			return true
		}
		letter = letter || isLetter(text[at])
	}
	return letter && begin > 0 && text[begin-1] == '='
}

func numberCode(token string) (int64, bool) {
	negative := int64(0)
	if token[0] == '-' {
		negative = 1
		token = token[1:]
	}
	value, digits, scale, point := int64(0), int64(0), int64(0), false
	for i := 0; i < len(token); i++ {
		if isDigit(token[i]) {
			digits++
			if digits > mostDigits {
				return 0, false
			}
			value = 10*value + int64(token[i]-'0')
			if point {
				scale++
			}
		} else if token[i] == '.' && digits > 0 && !point {
			point = true
		} else {
			return 0, false
		}
	}
	if digits == 0 || point && scale == 0 {
		return 0, false
	}
	return (value*16+digits)*32 + scale*2 + negative, true
}

func numberText(code int64) string {
	digits, scale := int(code/32%16), int(code/2%16)
	text := strconv.FormatInt(code/512, 10)
	text = strings.Repeat("0", digits-len(text)) + text
	if scale > 0 {
		text = text[:digits-scale] + "." + text[digits-scale:]
	}
	if code%2 == 1 {
		text = "-" + text
	}
	return text
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

func linesOf(content string) []string {
	if content == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(content, "\n"), "\n")
}

type message struct {
	logType int64
	values  []int64
}

type archive struct {
	types       []string
	typeIDs     map[string]int64
	variables   []string
	variableIDs map[string]int64
	files       [][]message
}

func (a *archive) typeID(text string) int64 {
	id, known := a.typeIDs[text]
	if !known {
		counts.logTypes++ // tick
		id = int64(len(a.types))
		a.typeIDs[text] = id
		a.types = append(a.types, text)
	}
	return id
}

func (a *archive) variableID(text string) int64 {
	id, known := a.variableIDs[text]
	if !known {
		counts.variables++ // tick
		id = int64(len(a.variables))
		a.variableIDs[text] = id
		a.variables = append(a.variables, text)
	}
	return id
}

func (a *archive) parse(content string) {
	var messages []message
	for _, line := range linesOf(content) {
		counts.lines++ // tick
		var values []int64
		var logType []byte
		for at := 0; at < len(line); {
			begin := at
			for at < len(line) && isTokenByte(line[at]) {
				at++
			}
			if at == begin {
				logType = append(logType, line[at])
				at++
				continue
			}
			counts.tokens++ // tick
			token := line[begin:at]
			if !isVariable(line, begin, at) {
				logType = append(logType, token...)
			} else if code, isNumber := numberCode(token); isNumber {
				counts.numbers++ // tick
				values = append(values, code)
				logType = append(logType, numberPlaceholder)
			} else {
				counts.references++ // tick
				values = append(values, a.variableID(token))
				logType = append(logType, variablePlaceholder)
			}
		}
		messages = append(messages, message{a.typeID(string(logType)), values})
	}
	a.files = append(a.files, messages)
}

func (a *archive) decode(m message) string {
	var line []byte
	logType, slot := a.types[m.logType], 0
	for i := 0; i < len(logType); i++ {
		switch logType[i] {
		case numberPlaceholder:
			line = append(line, numberText(m.values[slot])...)
			slot++
		case variablePlaceholder:
			line = append(line, a.variables[m.values[slot]]...)
			slot++
		default:
			line = append(line, logType[i])
		}
	}
	return string(line)
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

type program struct {
	regexForm bool
	queries   []*query
	files     []string
	archive   *archive
	found     [][]string
}

func (*program) Threads(harness.Options) int { return 1 }

func (p *program) Load(options harness.Options) error {
	p.regexForm = options.Text("form") == "regex"
	texts := defaultQueries[options.Text("workload")]
	if path := options["queries"]; path != "" {
		own, err := readQueries(path)
		if err != nil {
			return err
		}
		texts = own
	}
	for _, text := range texts {
		p.queries = append(p.queries, newQuery(text))
	}
	files, err := logFiles(options.Text("input"))
	p.files = files
	return err
}

func (p *program) Prepare() {
	p.archive = &archive{typeIDs: map[string]int64{}, variableIDs: map[string]int64{}}
	p.found = make([][]string, len(p.queries))
}

func (p *program) Run() error {
	if p.regexForm {
		return p.regex()
	}
	return p.indexed()
}

func (p *program) indexed() error {
	for _, path := range p.files {
		content, err := read(path)
		if err != nil {
			return err
		}
		p.archive.parse(content)
	}
	var plans []*plan
	for _, query := range p.queries {
		plans = append(plans, newPlan(query, p.archive))
	}
	for i, plan := range plans {
		for _, messages := range p.archive.files {
			p.found[i] = plan.search(messages, p.found[i])
		}
	}
	return nil
}

func (p *program) regex() error {
	var expressions []*regexp.Regexp
	for _, query := range p.queries {
		expressions = append(expressions, query.expression())
	}
	for i, expression := range expressions {
		for _, path := range p.files {
			content, err := read(path)
			if err != nil {
				return err
			}
			for _, line := range linesOf(content) {
				counts.lines++ // tick
				if expression.MatchString(line) {
					counts.matches++ // tick
					p.found[i] = append(p.found[i], line)
				}
			}
		}
	}
	return nil
}

func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, found := range p.found {
		hash.AddString(strconv.Itoa(len(found)))
		hash.AddByte('\n')
		for _, line := range found {
			hash.AddString(line)
			hash.AddByte('\n')
		}
	}
	return uint64(hash)
}

func (*program) Counters() map[string]uint64 {
	return map[string]uint64{
		"lines": counts.lines, "tokens": counts.tokens, "numbers": counts.numbers,
		"references": counts.references, "log_types": counts.logTypes,
		"variables": counts.variables, "scanned": counts.scanned,
		"candidates": counts.candidates, "matches": counts.matches,
	}
}

func main() {
	harness.Main("log", "plain", &program{})
}
