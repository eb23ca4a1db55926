package capa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// machineKind is an instance type of a cluster, with the zones in which it is used and the field that names it.
type machineKind struct {
	instanceType string
	zones        []string
	path         string
}

func (args *Args) machineKinds(zoneName func(string) string) []machineKind {
	kinds := []machineKind{{instanceType: args.ControlPlane.InstanceType, path: "controlPlane.instanceType"}}
	for _, zone := range args.zoneNames() {
		kinds[0].zones = append(kinds[0].zones, zoneName(zone))
	}
	for i, pool := range args.Workers {
		kind := machineKind{instanceType: pool.InstanceType, path: fmt.Sprintf("workers[%d].instanceType", i)}
		for _, zone := range args.zonesOf(pool) {
			kind.zones = append(kind.zones, zoneName(zone))
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// findMachines returns the architecture of each instance type, and a fault for each type that does not exist or that a
// zone of its machines does not offer. AWS would report that only when a machine is started.
func findMachines(ctx *pulumi.Context, kinds []machineKind, opt pulumi.InvokeOption) (map[string]string, error) {
	var faults fault.Faults
	architectures := map[string]string{}
	for _, kind := range kinds {
		if _, known := architectures[kind.instanceType]; !known {
			found, err := ec2.GetInstanceType(ctx, &ec2.GetInstanceTypeArgs{InstanceType: kind.instanceType}, opt)
			if err != nil {
				faults.Add(kind.path, kind.instanceType, "cannot be looked up: "+awsprovider.Cause(err),
					awsprovider.Remedy(err, "use an instance type of the region"))
				continue
			}
			architectures[kind.instanceType] = architectureOf(found.SupportedArchitectures)
		}
		byZone := "availability-zone"
		offered, err := ec2.GetInstanceTypeOfferings(ctx, &ec2.GetInstanceTypeOfferingsArgs{
			LocationType: &byZone,
			Filters:      []ec2.GetInstanceTypeOfferingsFilter{{Name: "instance-type", Values: []string{kind.instanceType}}},
		}, opt)
		if err != nil {
			return nil, awsprovider.Failed("the zones that offer "+kind.instanceType, err)
		}
		for _, zone := range kind.zones {
			if !slices.Contains(offered.Locations, zone) {
				faults.Add(kind.path, kind.instanceType, "is not offered in "+zone,
					"use a type that the zone offers, or other zones; these offer it: "+strings.Join(offered.Locations, ", "))
			}
		}
	}
	return architectures, faults.Err()
}

// architectureOf returns the architecture of the images that CAPA uses for an instance type.
func architectureOf(supported []string) string {
	if slices.Contains(supported, "x86_64") {
		return "x86_64"
	}
	return "arm64"
}

// findKeyPair returns a fault if the key pair does not exist.
func findKeyPair(ctx *pulumi.Context, name string, opt pulumi.InvokeOption) error {
	if name == "" {
		return nil
	}
	if _, err := ec2.LookupKeyPair(ctx, &ec2.LookupKeyPairArgs{KeyName: &name}, opt); err != nil {
		return &fault.Fault{
			Path:    "sshKeyName",
			Value:   name,
			Problem: "cannot be looked up: " + awsprovider.Cause(err),
			Remedy:  awsprovider.Remedy(err, "use a key pair of this account and region, or leave it out"),
		}
	}
	return nil
}

// images returns the images by instance type.
func (args *Args) images(
	ctx *pulumi.Context,
	name, region string,
	architectures map[string]string,
	opt pulumi.ResourceOrInvokeOption,
) (map[string]pulumi.StringInput, error) {
	images := map[string]pulumi.StringInput{}
	if input.IsSet(args.Image.ID) {
		image, err := input.Check("image.id", args.Image.ID, func(id string) error { return checkImage(ctx, id, architectures, opt) })
		for instanceType := range architectures {
			images[instanceType] = image
		}
		return images, err
	}
	pinned := map[string]pulumi.StringOutput{}
	for _, architecture := range []string{"x86_64", "arm64"} {
		for instanceType, kept := range architectures {
			if kept != architecture {
				continue
			}
			if _, done := pinned[architecture]; !done {
				image, err := args.pinImage(ctx, name, region, architecture, opt)
				if err != nil {
					return nil, err
				}
				pinned[architecture] = image
			}
			images[instanceType] = pinned[architecture]
		}
	}
	return images, nil
}

// checkImage returns a fault if the given image does not exist, or has another architecture than one of the instance
// types. A deprecated image starts machines as before, and AWS deprecates public ones after two years: it then lists
// them only on request.
func checkImage(ctx *pulumi.Context, id string, architectures map[string]string, opt pulumi.InvokeOption) error {
	if err := validateImageID(id); err != nil {
		return err
	}
	deprecated := true
	found, err := ec2.LookupAmi(ctx, &ec2.LookupAmiArgs{
		IncludeDeprecated: &deprecated, Filters: []ec2.GetAmiFilter{{Name: "image-id", Values: []string{id}}},
	}, opt)
	if err != nil {
		return &fault.Fault{
			Value:   id,
			Problem: "cannot be looked up: " + awsprovider.Cause(err),
			Remedy:  awsprovider.Remedy(err, "use an image of this region that the account may use"),
		}
	}
	var faults fault.Faults
	for instanceType, architecture := range architectures {
		if architecture != found.Architecture {
			faults.Add("", id, fmt.Sprintf("is for %s, and %s is %s", found.Architecture, instanceType, architecture),
				"use an image and instance types of the same architecture")
		}
	}
	return faults.Err()
}

// pinImage looks up the newest image and keeps its ID in the state. The resource's name contains everything that the
// lookup depends on, so another version is another resource. Its first value stays: newer images do not replace
// machines, and an image that its owner has deleted is not looked up again. Only a new resource requires that an image
// is found.
func (args *Args) pinImage(
	ctx *pulumi.Context,
	name, region, architecture string,
	opt pulumi.ResourceOrInvokeOption,
) (pulumi.StringOutput, error) {
	pattern, err := args.Image.namePattern(args.KubernetesVersion)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	newest, id := true, ""
	found, err := ec2.LookupAmi(ctx, &ec2.LookupAmiArgs{
		MostRecent: &newest,
		Owners:     []string{args.Image.Org},
		Filters: []ec2.GetAmiFilter{
			{Name: "name", Values: []string{pattern}},
			{Name: "architecture", Values: []string{architecture}},
			{Name: "state", Values: []string{"available"}},
			{Name: "virtualization-type", Values: []string{"hvm"}},
		},
	}, opt)
	if err == nil {
		id = found.Id
	} else if !strings.Contains(err.Error(), "query returned no results") {
		return pulumi.StringOutput{}, awsprovider.Failed(fmt.Sprintf("the machine image %q of account %s", pattern,
			args.Image.Org), err)
	}
	missing := args.Image.missing(args.KubernetesVersion, architecture, region)
	hook, err := ctx.RegisterResourceHook(name+"-image-"+architecture, func(*pulumi.ResourceHookArgs) error {
		if id == "" {
			return args.explained(missing)
		}
		return nil
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return pulumi.StringOutput{}, fmt.Errorf("registering the hook for the machine image: %w", err)
	}
	pin, err := outputs.Stash(ctx, fmt.Sprintf("%s-image-%s-%s", name, architecture,
		contentHash([]any{region, args.Image.Org, pattern})),
		pulumi.String(id), outputs.KeepsFirst, opt,
		pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}))
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return pin.ApplyT(func(value any) string {
		pinned, _ := value.(string)
		return pinned
	}).(pulumi.StringOutput), nil
}
