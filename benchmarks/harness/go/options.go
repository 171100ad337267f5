package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Options are the arguments, NAME=VALUE each; the lab has checked their values.
type Options map[string]string

func newOptions(name string) Options {
	benchmark = name
	options := Options{}
	for _, argument := range os.Args[1:] {
		name, value, _ := strings.Cut(argument, "=")
		options[name] = value
	}
	return options
}

// Text is an option's value; the process ends if it is not given.
func (o Options) Text(name string) string {
	if _, given := o[name]; !given {
		exitIf(fmt.Errorf("option %s=VALUE is missing; ./runfair exec %s --print shows a whole command", name, benchmark))
	}
	return o[name]
}

func (o Options) Int(name string) int { return must(strconv.Atoi(o.Text(name))) }

// Seed is the generator of everything pseudo-random.
func (o Options) Seed() SplitMix64 {
	return SplitMix64(must(strconv.ParseUint(o.Text("seed"), 10, 64)))
}

func (o Options) Counting() bool { return o["count"] == "1" }

// ReadInput is the content of the input, a file.
func (o Options) ReadInput() (content []byte, err error) {
	if content, err = os.ReadFile(o.Text("input")); err != nil {
		err = CannotBeRead(o.Text("input"), err)
	}
	return content, err
}

// CannotBeRead is the user's mistake in an input, or in a file of it.
func CannotBeRead(path string, err error) error {
	return fmt.Errorf("input %q cannot be read: %w", path, err)
}

// CannotBeListenedOn is the user's mistake in an address.
func (o Options) CannotBeListenedOn(err error) error {
	return fmt.Errorf("host %q port %s cannot be listened on: %q", o.Text("host"), o.Text("port"), err)
}

// exitIf ends the process if there is a user's mistake.
func exitIf(mistake error) {
	if mistake != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", benchmark, mistake)
		os.Exit(2)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
