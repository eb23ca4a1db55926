// Package orphan finds resources in AWS of which no state has the ID: by their inputs, their tags or their attributes, as the type's
// record in package awstype says. It is for recovery, which takes into the state what an interrupted run has created, and for
// commands that look for all resources of a cluster.
//
// Nothing is marked for this. The inputs identify a resource: its tags, which carry the infra ID, or what AWS allows only once, such
// as a role's name or a route's table and destination.
package orphan
