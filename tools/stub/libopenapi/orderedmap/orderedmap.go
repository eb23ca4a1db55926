// Package orderedmap has the maps of a document. Without documents all of them are empty.
package orderedmap

import "iter"

// Map is an empty map.
type Map[K comparable, V any] struct{}

// New returns an empty map.
func New[K comparable, V any]() *Map[K, V] { return &Map[K, V]{} }

// Len returns 0.
func Len[K comparable, V any](*Map[K, V]) int { return 0 }

// Get finds nothing.
func (*Map[K, V]) Get(K) (V, bool) {
	var none V
	return none, false
}

// GetOrZero returns the zero value.
func (*Map[K, V]) GetOrZero(K) V {
	var none V
	return none
}

// Set keeps nothing.
func (*Map[K, V]) Set(K, V) (V, bool) {
	var none V
	return none, false
}

// Delete deletes nothing.
func (*Map[K, V]) Delete(K) (V, bool) {
	var none V
	return none, false
}

// FromOldest yields nothing.
func (*Map[K, V]) FromOldest() iter.Seq2[K, V] { return func(func(K, V) bool) {} }

// KeysFromOldest yields nothing.
func (*Map[K, V]) KeysFromOldest() iter.Seq[K] { return func(func(K) bool) {} }
