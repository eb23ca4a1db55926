// Package nodes judges what EC2 and Kubernetes refuse of nodes, whoever creates them: HyperShift's node pools and the
// machines of Cluster API. Such values are accepted by the APIs of both, and the nodes never come.
package nodes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// Volume is the first volume of a node.
type Volume struct {
	// Type is its EBS type, "" for gp3. SizeGiB is its size; IOPS and Throughput are those that were set, 0 for none.
	Type                      string
	SizeGiB, IOPS, Throughput int64
	// Encrypted and EncryptionKey are those that were set: the ARN, ID, or alias of a KMS key. Region is that of the
	// nodes, "" if it is not known.
	Encrypted             *bool
	EncryptionKey, Region string
}

// limits are what EC2 allows of a type of volume.
type limits struct {
	// least and most bound the I/O operations per second, and perGiB their ratio to the size.
	least, most, perGiB int64
	// required is true for a type that has none by default.
	required bool
}

// volumeLimits are the types of volumes that EC2 starts from, with their limits; zero for a type without such a value.
// Source: https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
func volumeLimits() map[string]limits {
	return map[string]limits{
		"gp3":      {least: 3000, most: 80000, perGiB: 500},
		"io1":      {least: 100, most: 64000, perGiB: 50, required: true},
		"io2":      {least: 100, most: 256000, perGiB: 1000, required: true},
		"gp2":      {},
		"standard": {},
	}
}

// CheckVolume returns the faults of a root volume, with the paths type, iops, throughput and encryptionKey.
func CheckVolume(v Volume) error {
	var faults fault.Faults
	if v.Type == "" {
		v.Type = "gp3"
	}
	of, known := volumeLimits()[v.Type]
	switch {
	case !known:
		faults.Add("type", v.Type, "is not a type of root volume", "use gp2, gp3, io1 or io2")
		return faults.Err()
	case of.required && v.IOPS == 0:
		faults.Add("iops", nil, "is missing, and type "+v.Type+" requires it", "set the number of I/O operations per second")
	case of.most == 0 && v.IOPS != 0:
		faults.Add("iops", v.IOPS, "has no effect on this type", "leave it out, or use gp3, io1, or io2")
	case v.IOPS != 0 && (v.IOPS < of.least || v.IOPS > of.most):
		faults.Add("iops", v.IOPS, "is not possible for type "+v.Type, fmt.Sprintf("use %d to %d", of.least, of.most))
	case v.SizeGiB > 0 && v.IOPS > max(of.least, of.perGiB*v.SizeGiB):
		faults.Add("iops", v.IOPS, fmt.Sprintf("is too much for %d GiB of type %s", v.SizeGiB, v.Type),
			fmt.Sprintf("use at most %d, or a larger volume", max(of.least, of.perGiB*v.SizeGiB)))
	}
	faults.Join("encryptionKey", v.checkKey())
	if v.Throughput != 0 && v.Type != "gp3" {
		faults.Add("throughput", v.Throughput, "is only for type gp3", "leave it out, or use gp3")
	}
	return faults.Err()
}

// checkKey returns a fault for a key that EC2 does not use: Cluster API's provider for AWS, which HyperShift uses too,
// encrypts each volume with a key, and EC2 looks for the key in the region of the instance.
func (v Volume) checkKey() error {
	switch parts := strings.Split(v.EncryptionKey, ":"); {
	case v.EncryptionKey == "":
	case v.Encrypted != nil && !*v.Encrypted:
		return &fault.Fault{Value: v.EncryptionKey, Problem: "is set, but encrypted is false",
			Remedy: "leave out one of the two: a volume with a key is encrypted"}
	case len(parts) >= 6 && v.Region != "" && parts[3] != v.Region:
		return &fault.Fault{Value: v.EncryptionKey,
			Problem: "is a key of region " + parts[3] + ", and the nodes are in " + v.Region,
			Remedy:  "use a key of " + v.Region + ", such as a replica of a multi-Region key"}
	}
	return nil
}

// CheckLabels returns a fault for each label that Kubernetes refuses, with the path that path returns for its key.
func CheckLabels(labels map[string]string, path func(key string) string) error {
	var faults fault.Faults
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(labels[key])) > 0 {
			faults.Add(path(key), labels[key], "is not a label",
				"use letters, digits, and -_. in the name and in the value, at most 63 each")
		}
	}
	return faults.Err()
}

// Taint is a taint of a node.
type Taint struct{ Key, Value, Effect string }

// CheckTaints returns the faults of taints that Kubernetes refuses, with paths such as [0].key. Two of the same key
// need different effects.
func CheckTaints(taints []Taint) error {
	var faults fault.Faults
	seen := map[Taint]int{}
	for i, taint := range taints {
		path := fmt.Sprintf("[%d]", i)
		if len(validation.IsQualifiedName(taint.Key)) > 0 {
			faults.Add(path+".key", taint.Key, "is not the key of a taint", "use one such as example.com/dedicated")
		}
		if len(validation.IsValidLabelValue(taint.Value)) > 0 {
			faults.Add(path+".value", taint.Value, "is not the value of a taint", "use at most 63 letters, digits, and -_.")
		}
		same := Taint{Key: taint.Key, Effect: taint.Effect}
		if first, twice := seen[same]; twice {
			faults.Add(path+".key", taint.Key, fmt.Sprintf("has the effect %s in taints[%d] already", taint.Effect, first),
				"leave one of them out")
		} else {
			seen[same] = i
		}
	}
	return faults.Err()
}

// CheckArchitecture looks up an instance type, and returns a fault if no instance of it has the architecture, "amd64"
// or "arm64", or if there is no such type. A type that cannot be looked up is not judged.
func CheckArchitecture(ctx *pulumi.Context, instanceType, architecture string, opts ...pulumi.InvokeOption) error {
	found, err := ec2.GetInstanceType(ctx, &ec2.GetInstanceTypeArgs{InstanceType: instanceType}, opts...)
	if err != nil {
		if strings.Contains(err.Error(), "InvalidInstanceType") {
			return &fault.Fault{Value: instanceType, Problem: "cannot be looked up: " + awsprovider.Cause(err),
				Remedy: "use an instance type of the region"}
		}
		return ctx.Log.Warn(fmt.Sprintf("the architecture of instance type %s was not read, and not compared with %s: %s",
			instanceType, architecture, awsprovider.Cause(err)), nil)
	}
	supported := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[architecture]
	if len(found.SupportedArchitectures) == 0 || supported == "" ||
		slices.Contains(found.SupportedArchitectures, supported) {
		return nil
	}
	return &fault.Fault{
		Value: instanceType,
		Problem: fmt.Sprintf("is for %s, and the pool's arch is %s", strings.Join(found.SupportedArchitectures, ", "),
			architecture),
		Remedy: "use an instance type of that architecture, or set arch",
	}
}
