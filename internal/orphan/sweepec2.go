package orphan

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

// ec2One returns a resource with EC2's tags.
func ec2One(id *string, tags []ec2types.Tag) Leftover {
	return one(aws.ToString(id), tags, func(t ec2types.Tag) (*string, *string) { return t.Key, t.Value })
}

func listInstances(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeInstancesPaginator(awsrequest.DescribeInstances(c.ec2.DescribeInstances), &ec2.DescribeInstancesInput{InstanceIds: ids})
	err = eachPage(ctx, pages, func(page *ec2.DescribeInstancesOutput) {
		for _, r := range page.Reservations {
			for _, i := range r.Instances {
				l := ec2One(i.InstanceId, i.Tags)
				l.Owner, l.VPC, l.Created = aws.ToString(r.OwnerId), aws.ToString(i.VpcId), aws.ToTime(i.LaunchTime)
				if i.State != nil {
					l.State = string(i.State.Name)
				}
				l.Priced = map[string]any{"instanceType": string(i.InstanceType)}
				if l.State != string(ec2types.InstanceStateNameTerminated) {
					found = append(found, l)
				}
			}
		}
	})
	return found, explained("instances", err)
}

func terminateInstance(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.TerminateInstances, &ec2.TerminateInstancesInput{InstanceIds: []string{l.ID}})
}

func listNATGateways(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeNatGatewaysPaginator(awsrequest.DescribeNatGateways(c.ec2.DescribeNatGateways), &ec2.DescribeNatGatewaysInput{NatGatewayIds: ids})
	return listed(ctx, "NAT gateways", pages, func(page *ec2.DescribeNatGatewaysOutput) []ec2types.NatGateway { return page.NatGateways },
		func(n ec2types.NatGateway) Leftover {
			l := ec2One(n.NatGatewayId, n.Tags)
			l.VPC, l.Created, l.State = aws.ToString(n.VpcId), aws.ToTime(n.CreateTime), string(n.State)
			for _, address := range n.NatGatewayAddresses {
				l.Interfaces = append(l.Interfaces, aws.ToString(address.NetworkInterfaceId))
			}
			return l
		})
}

func deleteNATGateway(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteNatGateway, &ec2.DeleteNatGatewayInput{NatGatewayId: &l.ID})
}

func listVolumes(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeVolumesPaginator(awsrequest.DescribeVolumes(c.ec2.DescribeVolumes), &ec2.DescribeVolumesInput{VolumeIds: ids})
	return listed(ctx, "volumes", pages, func(page *ec2.DescribeVolumesOutput) []ec2types.Volume { return page.Volumes }, func(v ec2types.Volume) Leftover {
		l := ec2One(v.VolumeId, v.Tags)
		l.Created, l.State = aws.ToTime(v.CreateTime), string(v.State)
		for _, attachment := range v.Attachments {
			l.UsedBy = append(l.UsedBy, aws.ToString(attachment.InstanceId))
		}
		return l
	})
}

func deleteVolume(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteVolume, &ec2.DeleteVolumeInput{VolumeId: &l.ID})
}

// listSnapshots lists the account's own snapshots, without the public ones of others.
func listSnapshots(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeSnapshotsPaginator(awsrequest.DescribeSnapshots(c.ec2.DescribeSnapshots), &ec2.DescribeSnapshotsInput{OwnerIds: []string{"self"}, SnapshotIds: ids})
	return listed(ctx, "snapshots", pages, func(page *ec2.DescribeSnapshotsOutput) []ec2types.Snapshot { return page.Snapshots }, func(s ec2types.Snapshot) Leftover {
		l := ec2One(s.SnapshotId, s.Tags)
		l.Owner, l.Created, l.State = aws.ToString(s.OwnerId), aws.ToTime(s.StartTime), string(s.State)
		return l
	})
}

func deleteSnapshot(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.DeleteSnapshot, &ec2.DeleteSnapshotInput{SnapshotId: &l.ID})
}

func listAddresses(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	page, err := c.ec2.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{AllocationIds: ids}) // not paginated
	if err != nil {
		return nil, explained("elastic IPs", err)
	}
	for _, a := range page.Addresses {
		if aws.ToString(a.AllocationId) == "" {
			continue
		}
		l := ec2One(a.AllocationId, a.Tags)
		l.Hosts = hosts(a.PublicIp)
		for _, user := range []*string{a.NetworkInterfaceId, a.InstanceId} {
			if aws.ToString(user) != "" {
				l.UsedBy = append(l.UsedBy, aws.ToString(user))
				break
			}
		}
		found = append(found, l)
	}
	return found, nil
}

func releaseAddress(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.ec2.ReleaseAddress, &ec2.ReleaseAddressInput{AllocationId: &l.ID})
}

// explained wraps an error with what was being listed.
func explained(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("listing %s: %w", what, err)
}
