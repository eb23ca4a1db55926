// Package schema prints the JSON Schema of stack files.
package schema
