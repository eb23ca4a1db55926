// Package atomicfile writes files atomically: readers in other processes see a complete file or none.
package atomicfile
