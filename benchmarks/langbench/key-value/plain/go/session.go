// What each command replies: langbench/key-value/contract.md, "Commands".

package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

const (
	commands   = 13
	mostQuoted = 128
)

// counts are of one connection, or the sum of several.
type counts struct {
	processed, hits, misses, evictions uint64
	sets, gets, chainSteps             uint64
}

func (c *counts) add(other counts) {
	c.processed += other.processed
	c.hits += other.hits
	c.misses += other.misses
	c.evictions += other.evictions
	c.sets += other.sets
	c.gets += other.gets
	c.chainSteps += other.chainSteps
}

// session is the conversation with one client.
type session struct {
	server *server
	store  *store
	writer *bufio.Writer
	counts counts // of this connection alone
	closed bool

	mutex     sync.Mutex
	published counts // what the others see
}

func (s *session) converse(requests *requests) {
	for !s.closed {
		words, err := requests.next()
		if mistake, ok := err.(protocolError); ok {
			s.error("ERR Protocol error: " + string(mistake))
		}
		if err != nil {
			return
		}
		if len(words) > 0 {
			s.counts.processed++
			s.reply(words)
			s.publish()
		}
	}
}

func (s *session) publish() {
	s.mutex.Lock()
	s.published = s.counts
	s.mutex.Unlock()
}

func (s *session) reply(words [][]byte) {
	name := lower(words[0])
	least, most := 1, len(words)
	switch name {
	case "get", "select":
		least, most = 2, 2
	case "set":
		least = 3
	case "del", "exists", "config", "debug":
		least = 2
	case "ping":
		most = 2
	case "dbsize":
		most = 1
	}
	if len(words) < least || len(words) > most {
		s.wrongNumber(name)
		return
	}
	switch name {
	case "get":
		s.get(words[1])
	case "set":
		s.set(words)
	case "del":
		s.count(words[1:], s.store.remove)
	case "exists":
		s.count(words[1:], func(key []byte, counts *counts) bool {
			_, found := s.store.get(key, counts)
			return found
		})
	case "ping":
		if len(words) == 2 {
			s.bulk(words[1])
		} else {
			s.simple("PONG")
		}
	case "dbsize":
		s.integer(s.store.entries())
	case "flushall":
		if len(words) > 1 {
			s.error("ERR syntax error")
		} else {
			s.store.clear()
			s.simple("OK")
		}
	case "select":
		s.selectIndex(string(words[1]))
	case "info":
		s.info()
	case "config":
		s.config(words)
	case "command":
		s.command(words)
	case "debug":
		s.debug(words)
	case "quit":
		s.closed = true
		s.simple("OK")
	default:
		s.unknown(words)
	}
}

func (s *session) get(key []byte) {
	s.counts.gets++ // tick
	value, found := s.store.get(key, &s.counts)
	if !found {
		s.counts.misses++
		s.writer.WriteString("$-1\r\n")
		return
	}
	s.counts.hits++
	s.bulk(value)
}

func (s *session) set(words [][]byte) {
	if len(words) > 3 {
		s.error("ERR syntax error")
		return
	}
	if !s.store.set(words[1], words[2], &s.counts) {
		s.error("OOM command not allowed when used memory > 'maxmemory'.")
		return
	}
	s.counts.sets++ // tick
	s.simple("OK")
}

// count replies with the number of keys of which `holds` is true.
func (s *session) count(keys [][]byte, holds func([]byte, *counts) bool) {
	number := 0
	for _, key := range keys {
		if holds(key, &s.counts) {
			number++
		}
	}
	s.integer(number)
}

func (s *session) selectIndex(word string) {
	index, ok := number(word)
	if !ok {
		s.error("ERR value is not an integer or out of range")
	} else if index != 0 {
		s.error("ERR DB index is out of range")
	} else {
		s.simple("OK")
	}
}

func (s *session) info() {
	s.publish()
	sum, entries := s.server.sum(), s.store.entries()
	text := "# Server\r\nredis_version:0.0.0\r\nserver_name:runfair-key-value\r\n" +
		fmt.Sprintf("language:go\r\nrows:%d\r\n", len(s.store.rows)) +
		fmt.Sprintf("capacity_bytes:%d\r\n\r\n", s.store.capacity) +
		fmt.Sprintf("# Stats\r\ntotal_commands_processed:%d\r\n", sum.processed) +
		fmt.Sprintf("keyspace_hits:%d\r\nkeyspace_misses:%d\r\n", sum.hits, sum.misses) +
		fmt.Sprintf("evicted_keys:%d\r\n\r\n", sum.evictions)
	if s.server.counting {
		text += "# Runfair\r\n" +
			fmt.Sprintf("sets:%d\r\ngets:%d\r\n", sum.sets, sum.gets) +
			fmt.Sprintf("hits:%d\r\nmisses:%d\r\n", sum.hits, sum.misses) +
			fmt.Sprintf("chain_steps:%d\r\n", sum.chainSteps) +
			fmt.Sprintf("entries:%d\r\nevictions:%d\r\n\r\n", entries, sum.evictions)
	}
	text += "# Keyspace\r\n"
	if entries > 0 {
		text += fmt.Sprintf("db0:keys=%d,expires=0,avg_ttl=0\r\n", entries)
	}
	s.bulk([]byte(text))
}

func (s *session) config(words [][]byte) {
	if lower(words[1]) != "get" {
		s.unknownSubcommand("CONFIG", words[1])
		return
	}
	if len(words) < 3 {
		s.wrongNumber("config|get")
		return
	}
	asked := map[string]bool{}
	for _, word := range words[2:] {
		asked[lower(word)] = true
	}
	var found []string
	if asked["save"] || asked["*"] {
		found = append(found, "save", "")
	}
	if asked["appendonly"] || asked["*"] {
		found = append(found, "appendonly", "no")
	}
	s.line("*", strconv.Itoa(len(found)))
	for _, text := range found {
		s.bulk([]byte(text))
	}
}

func (s *session) command(words [][]byte) {
	if len(words) == 1 || lower(words[1]) == "docs" {
		s.line("*", "0")
	} else if lower(words[1]) != "count" {
		s.unknownSubcommand("COMMAND", words[1])
	} else if len(words) > 2 {
		s.wrongNumber("command|count")
	} else {
		s.integer(commands)
	}
}

func (s *session) debug(words [][]byte) {
	if lower(words[1]) != "digest" {
		s.unknownSubcommand("DEBUG", words[1])
	} else if len(words) > 2 {
		s.wrongNumber("debug|digest")
	} else {
		s.simple(fmt.Sprintf("%016x", s.store.digest()))
	}
}

func (s *session) wrongNumber(name string) {
	s.error("ERR wrong number of arguments for '" + name + "' command")
}

func (s *session) unknownSubcommand(name string, word []byte) {
	s.error("ERR unknown subcommand '" + cut(word, mostQuoted) + "'. Try " + name + " HELP.")
}

func (s *session) unknown(words [][]byte) {
	quoted := ""
	for _, word := range words[1:] {
		if len(quoted) < mostQuoted {
			quoted += "'" + cut(word, mostQuoted-len(quoted)) + "' "
		}
	}
	name := cut(words[0], mostQuoted)
	s.error("ERR unknown command '" + name + "', with args beginning with: " + quoted)
}

func cut(word []byte, most int) string {
	if len(word) > most {
		word = word[:most]
	}
	return string(word)
}

func (s *session) error(text string) {
	s.line("-", strings.Replace(strings.Replace(text, "\r", " ", -1), "\n", " ", -1))
}

func (s *session) simple(text string) {
	s.line("+", text)
}

func (s *session) integer(value int) {
	s.line(":", strconv.Itoa(value))
}

func (s *session) bulk(value []byte) {
	s.line("$", strconv.Itoa(len(value)))
	s.writer.Write(value)
	s.writer.WriteString("\r\n")
}

func (s *session) line(kind, text string) {
	s.writer.WriteString(kind)
	s.writer.WriteString(text)
	s.writer.WriteString("\r\n")
}

// lower changes ASCII letters only.
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
