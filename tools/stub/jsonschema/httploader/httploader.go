// Package httploader is empty. The tests of the library import it, which `go mod tidy` reads.
package httploader
