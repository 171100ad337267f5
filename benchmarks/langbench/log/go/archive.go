package main

import (
	"bytes"
	"strings"
)

// dictionary holds texts with ids from 0 on, in the order of their first
// appearance.
type dictionary struct {
	ids   map[string]int32
	texts []string
	made  uint64 // entries since the last call of takeMade, ticked
	lock  lock
}

func newDictionary() *dictionary {
	return &dictionary{ids: map[string]int32{}}
}

func (d *dictionary) id(text []byte) int32 {
	d.lock.Lock()
	id, known := d.ids[string(text)] // does not copy the text
	if !known {
		id = d.add(string(text))
	}
	d.lock.Unlock()
	return id
}

func (d *dictionary) add(text string) int32 {
	id := int32(len(d.texts))
	d.ids[text] = id
	d.texts = append(d.texts, text)
	d.made++ // tick
	return id
}

// takeMade tells how many entries were made since its last call.
func (d *dictionary) takeMade() uint64 {
	made := d.made
	d.made = 0
	return made
}

// enter enters another's texts in their order, and tells their ids.
func (d *dictionary) enter(texts []string) []int32 {
	ids := make([]int32, len(texts))
	for i, text := range texts {
		id, known := d.ids[text]
		if !known {
			id = d.add(text)
		}
		ids[i] = id
	}
	return ids
}

// messages is a file, encoded: the types of its lines, and the values of all
// their variables.
type messages struct {
	types  []int32
	values []int64
	ended  bool // whether a line feed ends the last line: nothing of the file is lost
}

// nextLine cuts the first line off; behind the last line feed there is one only
// if a byte is.
func nextLine(content []byte) (line, rest []byte) {
	if end := bytes.IndexByte(content, '\n'); end >= 0 {
		return content[:end], content[end+1:]
	}
	return content, nil
}

// parser encodes the files of one worker into dictionaries: its own, or those of
// all workers.
type parser struct {
	types     *dictionary
	variables *dictionary
	files     []*messages
	logType   []byte // of the line at hand, kept for its memory
	counts    *counters
}

func newParser(counts *counters) *parser {
	return &parser{types: newDictionary(), variables: newDictionary(), counts: counts}
}

func (p *parser) parse(content []byte) {
	m := &messages{ended: bytes.HasSuffix(content, []byte{'\n'})}
	for len(content) > 0 {
		var line []byte
		line, content = nextLine(content)
		p.counts.lines++ // tick
		p.parseLine(line, m)
	}
	p.files = append(p.files, m)
}

func (p *parser) parseLine(line []byte, m *messages) {
	logType := p.logType[:0]
	copied := 0
	for t := nextToken(line, 0); t.begin < len(line); t = nextToken(line, t.end) {
		p.counts.tokens++ // tick
		if !isVariable(line, t) {
			continue
		}
		logType = append(logType, line[copied:t.begin]...)
		copied = t.end
		text := line[t.begin:t.end]
		if code, ok := numberCode(text); ok {
			logType = append(logType, numberPlaceholder)
			m.values = append(m.values, code)
			p.counts.numbers++ // tick
		} else {
			logType = append(logType, variablePlaceholder)
			m.values = append(m.values, int64(p.variables.id(text)))
			p.counts.references++ // tick
		}
	}
	logType = append(logType, line[copied:]...)
	m.types = append(m.types, p.types.id(logType))
	p.logType = logType
}

// logType is a line without its variables.
type logType struct {
	text  string
	kinds []byte // its placeholders
}

// block is a worker's files, and the common ids of what its own dictionaries
// held.
type block struct {
	files     []*messages
	types     []int32
	variables []int32
}

// archive is the encoded files of all workers, with dictionaries in common.
type archive struct {
	logTypes  []logType
	variables *dictionary
	blocks    []block
}

// merge makes worker 0's dictionaries everyone's, and enters those of the others
// in order, unless they are shared. What was made of their entries is counted.
func merge(parsers []*parser, counts *counters) *archive {
	types, variables := parsers[0].types, parsers[0].variables
	a := &archive{variables: variables, blocks: []block{{files: parsers[0].files}}}
	for _, p := range parsers[1:] {
		b := block{files: p.files}
		if !shared {
			b.types = types.enter(p.types.texts)
			b.variables = variables.enter(p.variables.texts)
		}
		a.blocks = append(a.blocks, b)
	}
	counts.logTypes += types.takeMade()
	counts.variables += variables.takeMade()
	for _, text := range types.texts {
		t := logType{text: text}
		for i := range len(text) {
			if isPlaceholder(text[i]) {
				t.kinds = append(t.kinds, text[i])
			}
		}
		a.logTypes = append(a.logTypes, t)
	}
	return a
}

// renumber gives the messages of a worker the common ids. Worker 0's have them, as
// all have if the dictionaries are shared.
func (a *archive) renumber(worker int) {
	if worker == 0 || shared {
		return
	}
	b := a.blocks[worker]
	for _, m := range b.files {
		at := 0
		for i, own := range m.types {
			common := b.types[own]
			m.types[i] = common
			for _, kind := range a.logTypes[common].kinds {
				if kind == variablePlaceholder {
					m.values[at] = int64(b.variables[m.values[at]])
				}
				at++
			}
		}
	}
}

// decode appends the line of a message.
func (a *archive) decode(line []byte, t *logType, values []int64) []byte {
	rest := t.text
	for slot, kind := range t.kinds {
		at := strings.IndexByte(rest, kind)
		line = append(line, rest[:at]...)
		rest = rest[at+1:]
		if kind == numberPlaceholder {
			line = appendNumber(line, values[slot])
		} else {
			line = append(line, a.variables.texts[values[slot]]...)
		}
	}
	return append(line, rest...)
}
