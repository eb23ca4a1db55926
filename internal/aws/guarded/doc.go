// Package guarded lists what living clusters depend on, by type of resource: why, how it is replaced without harm, and
// what protects it. The guard of a plan, the guard of a program, and the protection in a state read it. A type that is
// not in the list has not been judged, and a test fails as soon as a component creates it.
package guarded
