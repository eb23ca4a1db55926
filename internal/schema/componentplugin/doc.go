// Package componentplugin is the Pulumi plugin that provides the components to programs in every language. It serves
// the schema that internal/schema/generate writes from the components' structs, checks inputs against the same structs,
// and calls the same constructors as a Go program, so that resources have the same types, names and URNs.
package componentplugin
