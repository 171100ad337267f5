package main

import (
	"strings"
	"testing"
)

// decodeFile is the content that the messages were made of.
func (a *archive) decodeFile(m *messages) string {
	var content []byte
	at := 0
	for _, id := range m.types {
		t := &a.logTypes[id]
		content = append(a.decode(content, t, m.values[at:at+len(t.kinds)]), '\n')
		at += len(t.kinds)
	}
	if m.ended {
		return string(content)
	}
	return strings.TrimSuffix(string(content), "\n")
}

func TestFilesComeBackFromTheArchive(t *testing.T) {
	files := []string{
		"a=b 17\r\n\n x_1 -0.50\n",
		"x_2 a=b 007\nx_1 no line feed",
		"",
		"\x11 \x12 =\xff=c\n\n",
	}
	var counts counters
	parsers := make([]*parser, len(files)) // a worker each
	for i, content := range files {
		parsers[i] = newParser(&counts)
		parsers[i].parse([]byte(content))
	}
	archive := merge(parsers, &counts)
	for i, content := range files {
		archive.renumber(i)
		if got := archive.decodeFile(archive.blocks[i].files[0]); got != content {
			t.Errorf("%q came back as %q", content, got)
		}
	}
	if int(counts.logTypes) != len(archive.logTypes) || int(counts.variables) != len(archive.variables.texts) {
		t.Errorf("counted %+v", counts)
	}
}
