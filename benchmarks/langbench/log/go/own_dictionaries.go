//go:build !shared

package main

const (
	tier   = "standard"
	shared = false // whether all workers fill the same dictionaries
)

// lock is of a dictionary that one worker fills: nothing.
type lock struct{}

func (lock) Lock()   {}
func (lock) Unlock() {}
