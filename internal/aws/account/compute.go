package account

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// computeListers list instances and what they use.
func computeListers() map[string]lister {
	return map[string]lister{
		awstype.Instance: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			dated:  true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				if len(q.IDs) > 0 { // a list of IDs is refused if one is unknown
					q.filters = []ec2types.Filter{filter("instance-id", q.IDs...)}
				}
				type owned struct {
					ec2types.Instance
					owner *string
				}
				return each(ctx, c.ec2.DescribeInstances, &ec2.DescribeInstancesInput{Filters: q.filters},
					func(p *ec2.DescribeInstancesOutput) (all []owned) {
						for _, reservation := range p.Reservations {
							for _, i := range reservation.Instances {
								if i.State == nil || i.State.Name != ec2types.InstanceStateNameTerminated {
									all = append(all, owned{i, reservation.OwnerId})
								}
							}
						}
						return all
					},
					func(i owned) inventory.Resource {
						properties := map[string]any{"vpcId": i.VpcId, "subnetId": i.SubnetId, "privateIp": i.PrivateIpAddress,
							"keyName": i.KeyName,
							"ownerId": i.owner, "instanceType": string(i.InstanceType), "instanceLifecycle": string(i.InstanceLifecycle)}
						if profile := i.IamInstanceProfile; profile != nil {
							properties["iamInstanceProfile"] = aws.ToString(profile.Arn)[strings.LastIndex(aws.ToString(profile.Arn),
								"/")+1:]
						}
						if cpu := i.CpuOptions; cpu != nil {
							properties["vCPUs"] = aws.ToInt32(cpu.CoreCount) * max(1, aws.ToInt32(cpu.ThreadsPerCore))
						}
						r := one(i.InstanceId, i.Tags, ec2Pair, properties)
						r.Created = aws.ToTime(i.LaunchTime)
						if i.State != nil {
							r.State = string(i.State.Name)
						}
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.TerminateInstances, &ec2.TerminateInstancesInput{InstanceIds: []string{r.ID}})
			},
		},
		awstype.Volume: {
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeVolumes, &ec2.DescribeVolumesInput{VolumeIds: q.IDs},
					func(p *ec2.DescribeVolumesOutput) []ec2types.Volume { return p.Volumes },
					func(v ec2types.Volume) inventory.Resource {
						r := one(v.VolumeId, v.Tags, ec2Pair, nil)
						r.Created, r.State = aws.ToTime(v.CreateTime), string(v.State)
						for _, attachment := range v.Attachments {
							r.UsedBy = append(r.UsedBy, aws.ToString(attachment.InstanceId))
						}
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteVolume, &ec2.DeleteVolumeInput{VolumeId: &r.ID})
			},
		},
		awstype.Snapshot: {
			// The account's own snapshots, without the public ones of others.
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeSnapshots, &ec2.DescribeSnapshotsInput{
					OwnerIds:    []string{"self"},
					SnapshotIds: q.IDs,
				},
					func(p *ec2.DescribeSnapshotsOutput) []ec2types.Snapshot { return p.Snapshots },
					func(s ec2types.Snapshot) inventory.Resource {
						r := one(s.SnapshotId, s.Tags, ec2Pair, map[string]any{"ownerId": s.OwnerId})
						r.Created, r.State = aws.ToTime(s.StartTime), string(s.State)
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteSnapshot, &ec2.DeleteSnapshotInput{SnapshotId: &r.ID})
			},
		},
		awstype.KeyPair: {
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeKeyPairs, &ec2.DescribeKeyPairsInput{
					KeyNames:         namesOf(q, "keyName"),
					IncludePublicKey: aws.Bool(true),
				},
					func(p *ec2.DescribeKeyPairsOutput) []ec2types.KeyPairInfo { return p.KeyPairs },
					func(pair ec2types.KeyPairInfo) inventory.Resource {
						r := one(pair.KeyName, pair.Tags, ec2Pair, map[string]any{
							"keyName": pair.KeyName, "publicKey": pair.PublicKey, "keyPairId": pair.KeyPairId,
							"fingerprint": pair.KeyFingerprint,
							"keyType":     string(pair.KeyType), "arn": arn.ARN{
								Partition: c.place.Partition, Service: "ec2", Region: c.place.Region, AccountID: c.place.Account,
								Resource: "key-pair/" + aws.ToString(pair.KeyName),
							}.String(),
						})
						r.Created = aws.ToTime(pair.CreateTime)
						return r
					})
			},
		},
	}
}

// namesOf returns the names that a query asks for: its IDs, or an input.
func namesOf(q Query, input string) []string {
	if name := q.Text(input); name != "" && len(q.IDs) == 0 {
		return []string{name}
	}
	return q.IDs
}
