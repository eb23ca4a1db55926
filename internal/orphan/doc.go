// Package orphan finds resources in AWS whose IDs are in no state: by their inputs, their tags or their attributes, according to the type's
// record in package awstype. Recovery uses it to add what an interrupted run has created to the state, and commands use it to find all
// resources of a cluster.
//
// Nothing is tagged for this purpose. The inputs identify a resource: its tags, which contain the infra ID, or what AWS allows only once,
// such as a role's name or a route's table and destination.
package orphan
