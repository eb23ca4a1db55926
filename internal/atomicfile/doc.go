// Package atomicfile writes files that readers in other processes see whole or not at all.
package atomicfile
