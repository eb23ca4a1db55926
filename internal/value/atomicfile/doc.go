// Package atomicfile writes files atomically: readers in other processes see a complete file or none, and complete
// lines of a journal. It also sets the modes of files and folders: what is in a folder that only its owner can enter is
// its owner's alone.
package atomicfile
