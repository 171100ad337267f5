package main

import (
	"fmt"
	"math"
	"strings"
)

const mostQuotedBytes = 128

var settings = []struct{ name, value string }{{"save", ""}, {"appendonly", "no"}}

// session is what the commands of one connection have to do with.
type session struct {
	store      *store
	totals     *totals
	replies    replies
	statistics statistics
	closing    bool
}

// command is how many words it takes, its name among them, and what it does.
type command struct {
	carryOut    func(s *session, words [][]byte)
	least, most int
}

// Filled at the start: COMMAND COUNT, which is among them, looks at them.
var commands map[string]command

func init() {
	commands = map[string]command{
		"get":      {(*session).get, 2, 2},
		"set":      {(*session).set, 3, math.MaxInt},
		"del":      {(*session).del, 2, math.MaxInt},
		"exists":   {(*session).exists, 2, math.MaxInt},
		"ping":     {(*session).ping, 1, 2},
		"dbsize":   {(*session).dbsize, 1, 1},
		"flushall": {(*session).flushall, 1, math.MaxInt},
		"select":   {(*session).selectIndex, 2, 2},
		"info":     {(*session).info, 1, math.MaxInt},
		"config":   {(*session).config, 2, math.MaxInt},
		"command":  {(*session).command, 1, math.MaxInt},
		"debug":    {(*session).debug, 2, math.MaxInt},
		"quit":     {(*session).quit, 1, math.MaxInt},
	}
}

func (s *session) answer(words [][]byte) {
	s.statistics.commands.Add(1)
	name := lower(words[0])
	command, known := commands[name]
	switch {
	case !known:
		s.unknown(words)
	case len(words) < command.least || len(words) > command.most:
		s.wrongNumber(name)
	default:
		command.carryOut(s, words)
	}
	if s.store.counting {
		s.statistics.publish()
	}
}

func (s *session) get(words [][]byte) {
	s.statistics.ticked.gets++ // tick
	value, found := s.store.get(words[1], &s.statistics)
	if !found {
		s.statistics.ticked.misses++ // tick
		s.statistics.misses.Add(1)
		s.replies.nullBulk()
		return
	}
	s.statistics.ticked.hits++ // tick
	s.statistics.hits.Add(1)
	s.replies.bulk(value)
}

func (s *session) set(words [][]byte) {
	switch {
	case len(words) > 3:
		s.replies.error("ERR syntax error")
	case !s.store.set(words[1], words[2], &s.statistics):
		s.replies.error("OOM command not allowed when used memory > 'maxmemory'.")
	default:
		s.replies.simple("OK")
	}
}

func (s *session) del(words [][]byte) {
	removed := 0
	for _, key := range words[1:] {
		if s.store.remove(key, &s.statistics) {
			removed++
		}
	}
	s.replies.integer(removed)
}

func (s *session) exists(words [][]byte) {
	there := 0
	for _, key := range words[1:] {
		if _, found := s.store.get(key, &s.statistics); found {
			there++
		}
	}
	s.replies.integer(there)
}

func (s *session) ping(words [][]byte) {
	if len(words) == 1 {
		s.replies.simple("PONG")
		return
	}
	s.replies.bulk(words[1])
}

func (s *session) dbsize([][]byte) {
	s.replies.integer(s.store.entries())
}

func (s *session) flushall(words [][]byte) {
	if len(words) > 1 {
		s.replies.error("ERR syntax error")
		return
	}
	s.store.clear()
	s.replies.simple("OK")
}

func (s *session) selectIndex(words [][]byte) {
	switch index, ok := number(words[1]); {
	case !ok:
		s.replies.error("ERR value is not an integer or out of range")
	case index != 0:
		s.replies.error("ERR DB index is out of range")
	default:
		s.replies.simple("OK")
	}
}

func (s *session) info([][]byte) {
	told := s.totals.sum()
	entries := s.store.entries()
	var text strings.Builder
	line := func(format string, values ...any) {
		fmt.Fprintf(&text, format+"\r\n", values...)
	}
	line("# Server")
	line("redis_version:0.0.0")
	line("server_name:runfair-key-value")
	line("language:go")
	line("rows:%d", len(s.store.rows))
	line("capacity_bytes:%d", s.store.capacityBytes)
	line("")
	line("# Stats")
	line("total_commands_processed:%d", told.commands)
	line("keyspace_hits:%d", told.hits)
	line("keyspace_misses:%d", told.misses)
	line("evicted_keys:%d", told.evictions)
	line("")
	if s.store.addresses {
		locality := newLocality(s.store.distances())
		line("# Locality")
		line("collections:%d", collections())
		line("pairs:%d", locality.pairs)
		line("median_distance_bytes:%d", locality.medianBytes)
		line("different_distances:%d", locality.different)
		line("frequent_distance_bytes:%d", locality.frequent.bytes)
		line("frequent_distance_pairs:%d", locality.frequent.pairs)
		line("next_frequent_distance_bytes:%d", locality.nextFrequent.bytes)
		line("next_frequent_distance_pairs:%d", locality.nextFrequent.pairs)
		line("")
	}
	if s.store.counting {
		line("# Runfair")
		line("sets:%d", told.counted.sets)
		line("gets:%d", told.counted.gets)
		line("hits:%d", told.counted.hits)
		line("misses:%d", told.counted.misses)
		line("chain_steps:%d", told.counted.chainSteps)
		line("entries:%d", entries)
		line("evictions:%d", told.counted.evictions)
		line("")
	}
	line("# Keyspace")
	if entries > 0 {
		line("db0:keys=%d,expires=0,avg_ttl=0", entries)
	}
	s.replies.bulk([]byte(text.String()))
}

func (s *session) config(words [][]byte) {
	if lower(words[1]) != "get" {
		s.unknownSubcommand("CONFIG", words[1])
		return
	}
	if len(words) == 2 {
		s.wrongNumber("config|get")
		return
	}
	asked := map[string]bool{}
	for _, word := range words[2:] {
		asked[lower(word)] = true
	}
	var told []string
	for _, setting := range settings {
		if asked[setting.name] || asked["*"] {
			told = append(told, setting.name, setting.value)
		}
	}
	s.replies.array(len(told))
	for _, text := range told {
		s.replies.bulk([]byte(text))
	}
}

func (s *session) command(words [][]byte) {
	switch {
	case len(words) == 1 || lower(words[1]) == "docs":
		s.replies.array(0)
	case lower(words[1]) != "count":
		s.unknownSubcommand("COMMAND", words[1])
	case len(words) > 2:
		s.wrongNumber("command|count")
	default:
		s.replies.integer(len(commands))
	}
}

func (s *session) debug(words [][]byte) {
	switch {
	case lower(words[1]) != "digest":
		s.unknownSubcommand("DEBUG", words[1])
	case len(words) > 2:
		s.wrongNumber("debug|digest")
	default:
		s.replies.simple(fmt.Sprintf("%016x", s.store.digest()))
	}
}

func (s *session) quit([][]byte) {
	s.closing = true
	s.replies.simple("OK")
}

func (s *session) wrongNumber(name string) {
	s.replies.error("ERR wrong number of arguments for '" + name + "' command")
}

func (s *session) unknownSubcommand(name string, word []byte) {
	word = word[:min(len(word), mostQuotedBytes)]
	s.replies.error("ERR unknown subcommand '" + string(word) + "'. Try " + name + " HELP.")
}

func (s *session) unknown(words [][]byte) {
	quoted := ""
	for _, word := range words[1:] {
		if len(quoted) >= mostQuotedBytes {
			break
		}
		quoted += "'" + string(word[:min(len(word), mostQuotedBytes-len(quoted))]) + "' "
	}
	name := words[0][:min(len(words[0]), mostQuotedBytes)]
	s.replies.error("ERR unknown command '" + string(name) + "', with args beginning with: " + quoted)
}

// lower is of ASCII alone: strings.ToLower would take other letters for ours.
func lower(word []byte) string {
	lowered := make([]byte, len(word))
	for i, b := range word {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		lowered[i] = b
	}
	return string(lowered)
}
