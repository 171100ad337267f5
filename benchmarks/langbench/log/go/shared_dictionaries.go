//go:build shared

package main

import "sync"

const (
	tier   = "shared-dictionary"
	shared = true // whether all workers fill the same dictionaries
)

// lock is of a dictionary that all workers fill.
type lock = sync.Mutex
