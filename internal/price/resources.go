package price

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// charge is one charge of one resource.
type charge struct {
	key Key
	// quantity is the number of units that are charged: an endpoint in three zones is charged three times per hour.
	quantity float64
	// byUse charges depend on traffic, storage or requests: their rate is shown and never summed.
	byUse bool
}

func fixed(key Key, quantity float64) charge { return charge{key: key, quantity: quantity} }
func byUse(key Key) charge                   { return charge{key: key, quantity: 1, byUse: true} }

// charges returns, by the price key of a type's record, the fixed charges of a resource with the inputs, and the rates of its use.
var charges = map[string]func(inputs map[string]any) []charge{
	"natGateway":        func(map[string]any) []charge { return []charge{fixed(NATGatewayHour, 1), byUse(NATGatewayGB)} },
	"publicIPv4Address": func(map[string]any) []charge { return []charge{fixed(PublicIPv4Hour, 1)} },
	"hostedZone":        func(map[string]any) []charge { return []charge{fixed(HostedZoneMonth, 1)} },
	"kmsKey":            func(map[string]any) []charge { return []charge{fixed(KMSKeyMonth, 1), byUse(KMSRequests)} },
	"vpcEndpoint": func(inputs map[string]any) []charge {
		if kind, _ := inputs["vpcEndpointType"].(string); kind != "Interface" {
			return nil // gateway endpoints, the default, are free
		}
		zones := max(1, length(inputs["subnetIds"]), length(inputs["subnetConfigurations"]))
		return []charge{fixed(InterfaceEndpointHour, float64(zones)), byUse(InterfaceEndpointGB)}
	},
	"loadBalancer": func(inputs map[string]any) []charge {
		list := []charge{fixed(NetworkLoadBalancerHour, 1), byUse(NetworkLoadBalancerLCU)}
		if internal, _ := inputs["internal"].(bool); !internal {
			list = append(list, fixed(PublicIPv4Hour, float64(max(1, length(inputs["subnets"])))))
		}
		return list
	},
	"instance": func(inputs map[string]any) []charge {
		kind, _ := inputs["instanceType"].(string)
		list := []charge{fixed(InstanceHour(kind), 1)}
		if public, _ := inputs["associatePublicIpAddress"].(bool); public {
			list = append(list, fixed(PublicIPv4Hour, 1))
		}
		disk, _ := inputs["rootBlockDevice"].(map[string]any)
		size, _ := disk["volumeSize"].(float64)
		if size == 0 {
			return append(list, byUse(GP3VolumeGBMonth)) // the image decides the size
		}
		return append(list, fixed(GP3VolumeGBMonth, size))
	},
}

// uses lists, by type, the rates of use of types without a fixed charge.
var uses = map[string]Key{
	"aws:ec2/flowLog:FlowLog":                  FlowLogGB,
	awstype.Bucket:                             S3StorageGBMonth,
	"aws:sqs/queue:Queue":                      SQSRequests,
	"aws:cloudfront/distribution:Distribution": CloudFrontRequests,
}

// chargesOf returns a resource's charges, and whether its type is known.
func chargesOf(r apitype.ResourceV3) ([]charge, bool) {
	token := string(r.Type)
	if !strings.HasPrefix(token, "aws:") {
		return nil, true
	}
	if use, ok := uses[token]; ok {
		return []charge{byUse(use)}, true
	}
	record, known := awstype.Of(token)
	if !known || record.Price == awstype.Free {
		return nil, known
	}
	of, ok := charges[record.Price]
	if !ok {
		return nil, false
	}
	return of(r.Inputs), true
}

// Region returns the region in which a resource is charged. resources are those of its stack, including its provider.
func Region(r apitype.ResourceV3, all []apitype.ResourceV3) string {
	for _, p := range all {
		if strings.HasPrefix(string(p.Type), "pulumi:providers:") && r.Provider != "" && strings.HasPrefix(r.Provider, string(p.URN)+"::") {
			for _, properties := range []map[string]any{p.Inputs, p.Outputs} {
				if region, _ := properties["region"].(string); region != "" {
					return region
				}
			}
		}
	}
	arn, _ := r.Outputs["arn"].(string)
	if parts := strings.SplitN(arn, ":", 6); len(parts) == 6 && parts[3] != "" {
		return parts[3]
	}
	return ""
}

func length(list any) int {
	items, _ := list.([]any)
	return len(items)
}
