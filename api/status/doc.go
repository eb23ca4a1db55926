// Package status describes a running hosted cluster: what its management cluster and AWS report about it, whether the paths of its traffic hold, and
// how administrators reach it. What could not be read is unknown, and says so.
package status
