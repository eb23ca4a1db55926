package takeover

// Restored is what a stack's state takes over from the management cluster in which the stack's HostedCluster was restored from a backup.
type Restored struct {
	// Cluster is the name of the hosted cluster.
	Cluster string `json:"cluster"`
	// From and To are the UIDs of namespace kube-system of the former management cluster, which the state records, and of the one that the stack's file
	// selects; "" if unknown.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Taken are the restored objects, and Created those that were not restored: the next update creates them.
	Taken   []string `json:"taken,omitempty"`
	Created []string `json:"created,omitempty"`
	// Object describes the HostedCluster: "HostedCluster clusters/demo".
	Object string `json:"-"`
	// Unproved is why the recorded management cluster may still run the HostedCluster; "" if it certainly does not.
	Unproved string `json:"-"`
	// Done is true if the state already has the HostedCluster of the file's management cluster.
	Done bool `json:"-"`
}
