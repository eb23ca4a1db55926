// Package color is empty. A test of a library that the engine uses imports it, so that `go mod tidy` looks for it.
package color
