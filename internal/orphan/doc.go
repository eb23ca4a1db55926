// Package orphan says how a resource is found in AWS of which no more is known than what was asked for: its creation
// was under way when the engine, the provider or the machine died. It is for package automation, which takes what is
// found into the stack's state.
//
// Nothing is marked for this. What was asked for identifies a resource: its tags, which carry the infra ID, or the key
// that AWS itself allows once, such as a role's name or a route's table and destination.
package orphan
