package permissions

// siteEntries are the functions that tell a program where it is. Asking who one is needs no permission, and
// the region and the partition are the provider's own knowledge.
func siteEntries() []entry {
	return []entry{
		{token: "aws:index/getCallerIdentity:getCallerIdentity"},
		{token: "aws:index/getPartition:getPartition"},
		{token: "aws:index/getRegion:getRegion"},
		{token: "aws:index/getAvailabilityZone:getAvailabilityZone", read: []string{"ec2:DescribeAvailabilityZones"}},
		{token: "aws:index/getAvailabilityZones:getAvailabilityZones", read: []string{"ec2:DescribeAvailabilityZones"}},
	}
}
