// What the files hold, encoded: two dictionaries, and the messages of each file.

package main

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
