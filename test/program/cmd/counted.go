package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// countedEngine is the environment variable of the engine whose starts are counted.
const countedEngine = "COUNTED_ENGINE"

// runCounted notes what the engine is started for, and becomes it.
func runCounted() error {
	var words []string
	for _, arg := range os.Args[1:] {
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	if len(words) > 1 && words[0] != "stack" {
		words = words[:1]
	}
	log, err := os.OpenFile(os.Getenv("COUNTED_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(log, strings.Join(words[:min(2, len(words))], " ")); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	engine := os.Getenv(countedEngine)
	return syscall.Exec(engine, append([]string{engine}, os.Args[1:]...), os.Environ())
}
