package price

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// charge is one charge of one resource. An endpoint in three zones is charged three times per hour.
type charge struct {
	forecast.Charge
	// byUse charges depend on traffic, storage or requests: their rate is shown and never summed.
	byUse bool
	// paused charges begin when nodes are resumed, and are not summed.
	paused bool
}

func fixed(key forecast.PriceKey, quantity float64) charge {
	return charge{Charge: forecast.Charge{Key: key, Quantity: quantity}}
}

func byUse(key forecast.PriceKey) charge {
	return charge{Charge: forecast.Charge{Key: key, Quantity: 1}, byUse: true}
}

// charges returns, by the price key of a type's record, the fixed charges of a resource with the inputs, and the rates
// of its use.
var charges = map[string]func(inputs props.Map) []charge{
	"natGateway": func(props.Map) []charge { return []charge{fixed(NATGatewayHour, 1), byUse(NATGatewayGB)} },
	"transitGatewayAttachment": func(props.Map) []charge {
		return []charge{fixed(TransitAttachmentHour, 1), byUse(TransitGB)}
	},
	"publicIPv4Address": func(inputs props.Map) []charge {
		if strings.HasPrefix(inputs.String("publicIpv4Pool"), "ipv4pool-ec2-") {
			return nil // addresses that a customer brought to AWS are free
		}
		return []charge{fixed(PublicIPv4Hour, 1)}
	},
	"hostedZone":   func(props.Map) []charge { return []charge{fixed(HostedZoneMonth, 1)} },
	"kmsKey":       func(props.Map) []charge { return []charge{fixed(KMSKeyMonth, 1), byUse(KMSRequests)} },
	"flowLog":      func(props.Map) []charge { return []charge{byUse(FlowLogGB)} },
	"bucket":       func(props.Map) []charge { return []charge{byUse(S3StorageGBMonth)} },
	"queue":        func(props.Map) []charge { return []charge{byUse(SQSRequests)} },
	"distribution": func(props.Map) []charge { return []charge{byUse(CloudFrontRequests)} },
	"vpcEndpoint": func(inputs props.Map) []charge {
		if inputs.String("vpcEndpointType") == "GatewayLoadBalancer" {
			return []charge{fixed(FirewallEndpointHour, 1), byUse(FirewallEndpointGB)}
		}
		if inputs.String("vpcEndpointType") != "Interface" {
			return nil // gateway endpoints, the default, are free
		}
		zones := max(1, len(inputs.Strings("subnetIds")), len(inputs.Objects("subnetConfigurations")))
		return []charge{fixed(InterfaceEndpointHour, float64(zones)), byUse(InterfaceEndpointGB)}
	},
	"loadBalancer": func(inputs props.Map) []charge {
		list := []charge{fixed(NetworkLoadBalancerHour, 1), byUse(NetworkLoadBalancerLCU)}
		if !inputs.Bool("internal") {
			list = append(list, fixed(PublicIPv4Hour, float64(max(1, len(inputs.Strings("subnets"))))))
		}
		return list
	},
	"instance": func(inputs props.Map) []charge {
		list := []charge{fixed(InstanceHour(inputs.String("instanceType")), 1)}
		if inputs.Bool("associatePublicIpAddress") {
			list = append(list, fixed(PublicIPv4Hour, 1))
		}
		size := inputs.Object("rootBlockDevice").Number("volumeSize")
		if size == 0 {
			return append(list, byUse(GP3VolumeGBMonth)) // the image decides the size
		}
		return append(list, fixed(GP3VolumeGBMonth, size))
	},
}

// chargesOf returns the charges of a resource of a stack, and whether its type is known. all are the stack's resources.
func chargesOf(r apitype.ResourceV3, all []apitype.ResourceV3) ([]charge, bool) {
	token := string(r.Type)
	if !strings.HasPrefix(token, "aws:") {
		return operatorCharges(r, all), true
	}
	record, known := awstype.Lookup(token)
	if !known || record.Price == awstype.Free {
		return nil, known
	}
	list, ok := charges[record.Price]
	if !ok {
		return nil, false
	}
	return list(r.Inputs), true
}

// Region returns the region in which a resource is charged. resources are those of its stack, including its provider.
func Region(r apitype.ResourceV3, all []apitype.ResourceV3) string {
	for _, p := range all {
		if strings.HasPrefix(string(p.Type), "pulumi:providers:") && r.Provider != "" &&
			strings.HasPrefix(r.Provider, string(p.URN)+"::") {
			for _, properties := range []props.Map{p.Inputs, p.Outputs} {
				if region := properties.String("region"); region != "" {
					return region
				}
			}
		}
	}
	if parts := strings.SplitN(props.Map(r.Outputs).String("arn"), ":", 6); len(parts) == 6 && parts[3] != "" {
		return parts[3]
	}
	return ""
}
