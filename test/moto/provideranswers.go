package moto

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

var (
	// soaValue matches the value of a zone's first SOA record, which moto writes as the text of a dictionary.
	soaValue = regexp.MustCompile(`<Value>\{'Value': '(?:[^']*)'\}</Value>`)
	// gatewayService matches the type of an endpoint service that is not AWS's own.
	gatewayService = regexp.MustCompile(`(<serviceName>com\.amazonaws\.vpce\.[^<]*</serviceName><serviceId>[^<]*</serviceId><serviceType><item><serviceType>)Gateway<`)
	// interfaceGroups matches the security groups of an instance's interface.
	interfaceGroups = regexp.MustCompile(`<groupSet><item>.*?</groupSet>`)
	// ipv6State matches the state of a subnet's IPv6 CIDR, which moto writes as the text of a dictionary.
	ipv6State = regexp.MustCompile(`(<ipv6CidrBlockState><state>).*?(</state></ipv6CidrBlockState>)`)
	// noOwner matches the empty owner of DHCP options.
	noOwner = regexp.MustCompile(`<ownerId>[^<]*</ownerId>`)
)

// providerAnswers returns the answers that are changed for the AWS provider. compute is a client of moto.
func providerAnswers(compute *ec2.Client) []Answer {
	shared := accountsOf(compute)
	services, waiting := shared.services()
	answers := slices.Concat(endpointsDeleted(waiting), services, shared.zones(), distributions(), flowLogsToS3(),
		attachments(), descriptions(),
		networkBalancers(), ipam(), addresses())
	return append(answers, shared.sessions(), Answer{
		Action: "ec2:RunInstances", AWS: "a volume has the size of the image's snapshot, unless the request has one",
		Request: func(_ *http.Request, body string) string {
			return strings.Replace(body, "&BlockDeviceMapping.1.Ebs.",
				"&BlockDeviceMapping.1.Ebs.VolumeSize=8&BlockDeviceMapping.1.Ebs.", 1)
		},
	}, Answer{
		Action: "ec2:DescribeInstances", AWS: "an instance has the security groups of its interface, which has no association without a public address",
		Change: func(_ url.Values, status int, text string) (int, string) {
			text = strings.ReplaceAll(text, "<association/>", "")
			return status, strings.Replace(text, "<groupSet/><sourceDestCheck>",
				interfaceGroups.FindString(text)+"<sourceDestCheck>", 1)
		},
	}, Answer{
		Action: "ec2:DescribeSubnets", AWS: "the IPv6 CIDR of a subnet has the state associated",
		Change: func(_ url.Values, status int, text string) (int, string) {
			return status, ipv6State.ReplaceAllString(text, "${1}associated$2")
		},
	}, Answer{
		Action: "route53:ListResourceRecordSets", AWS: "the SOA record of a zone has seven fields",
		Change: func(_ url.Values, status int, text string) (int, string) {
			return status, soaValue.ReplaceAllString(text, "<Value>ns-2048.awsdns-64.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400</Value>")
		},
	}, Answer{
		Action: "ec2:CreateDhcpOptions", AWS: "DHCP options get the tags of the request",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) { return createDHCPOptions(r, compute, form) },
	}, Answer{
		Action: "ec2:DescribeDhcpOptions", AWS: "DHCP options have their account as the owner",
		Change: func(_ url.Values, status int, text string) (int, string) {
			text = noOwner.ReplaceAllString(text, "")
			return status, strings.ReplaceAll(text, "<dhcpOptionsId>", "<ownerId>123456789012</ownerId><dhcpOptionsId>")
		},
	})
}

var (
	// accessControl matches an origin of a distribution's configuration with its domain and its access control.
	accessControl = regexp.MustCompile(`<DomainName>([^<]*)</DomainName>.*?<OriginAccessControlId>([^<]*)</OriginAccessControlId>|<OriginAccessControlId>([^<]*)</OriginAccessControlId>.*?<DomainName>([^<]*)</DomainName>`)
	// unwanted matches what moto adds to a distribution with a cache policy: values to forward, and certificates without a
	// name.
	unwanted = regexp.MustCompile(`<ForwardedValues>.*?</ForwardedValues>|<(IAMCertificateId|ACMCertificateArn)></(IAMCertificateId|ACMCertificateArn)>`)
)

// distributions are the answers about CloudFront's distributions: moto forgets the access control of an origin, and
// writes ARNs with a colon too few.
func distributions() []Answer {
	var controls sync.Map // by an origin's domain
	note := func(_ *http.Request, body string) string {
		for _, origin := range accessControl.FindAllStringSubmatch(body, -1) {
			controls.Store(origin[1]+origin[4], origin[2]+origin[3])
		}
		return body
	}
	arn := func(_ url.Values, status int, text string) (int, string) {
		return status, strings.ReplaceAll(text, "arn:aws:cloudfront:1", "arn:aws:cloudfront::1")
	}
	query := func(r *http.Request, body string) string {
		r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "cloudfront%3A%3A", "cloudfront%3A")
		return body
	}
	return []Answer{
		{
			Action:  "cloudfront:CreateDistribution",
			AWS:     "an origin keeps its access control, and an ARN has no region",
			Request: note,
			Change:  arn,
		},
		{Action: "cloudfront:UpdateDistribution", AWS: "likewise", Request: note, Change: arn},
		{
			Action: "cloudfront:GetDistribution", AWS: "likewise; with a cache policy it has no forwarded values, and it has one certificate",
			Change: func(form url.Values, status int, text string) (int, string) {
				controls.Range(func(domain, control any) bool {
					name := fmt.Sprintf("<DomainName>%s</DomainName>", domain)
					text = strings.ReplaceAll(text, name,
						fmt.Sprintf("%s<OriginAccessControlId>%s</OriginAccessControlId>", name, control))
					return true
				})
				if text = unwanted.ReplaceAllString(text, ""); strings.Contains(text, "<ACMCertificateArn>") {
					text = strings.Replace(text, "<CloudFrontDefaultCertificate>true<", "<CloudFrontDefaultCertificate>false<", 1)
				}
				return arn(form, status, text)
			},
		},
		{Action: "cloudfront:ListTagsForResource", AWS: "the ARN of a distribution has no region", Request: query},
		{Action: "cloudfront:TagResource", AWS: "likewise", Request: query},
	}
}

// prefixed matches the bucket and the prefix to which a flow log is to be written.
var prefixed = regexp.MustCompile(`\bLogDestination=(arn%3Aaws%3As3%3A%3A%3A[^%&]*)%2F[^&]*`)

// flowLogsToS3 are the answers about flow logs in buckets.
func flowLogsToS3() []Answer {
	var destinations sync.Map // by the bucket's ARN
	return []Answer{{
		Action: "ec2:CreateFlowLogs", AWS: "a flow log is written to a bucket and a prefix",
		Request: func(_ *http.Request, body string) string {
			if form, err := url.ParseQuery(body); err == nil && prefixed.MatchString(body) {
				destination := form.Get("LogDestination")
				bucket, _, _ := strings.Cut(destination, "/")
				destinations.Store(bucket, destination)
			}
			return prefixed.ReplaceAllString(body, "LogDestination=$1")
		},
	}, {
		Action: "ec2:DescribeFlowLogs", AWS: "likewise",
		Change: func(_ url.Values, status int, text string) (int, string) {
			destinations.Range(func(bucket, destination any) bool {
				text = strings.ReplaceAll(text, fmt.Sprintf("<logDestination>%s<", bucket),
					fmt.Sprintf("<logDestination>%s<", destination))
				return true
			})
			return status, text
		},
	}}
}

// attachmentState matches the ID of an attachment to a transit gateway, and its state.
var attachmentState = regexp.MustCompile(`(<transitGatewayAttachmentId>[^<]*</transitGatewayAttachmentId>.*?<state>)[^<]*<`)

// attachments are the answers about attachments to transit gateways.
func attachments() []Answer {
	var deleted sync.Map // by the attachment's ID
	return []Answer{{
		Action: "ec2:CreateTransitGatewayVpcAttachment", AWS: "an attachment gets the tags of the request",
		Request: func(_ *http.Request, body string) string {
			return strings.Replace(body, "ResourceType=transit-gateway-attachment", "ResourceType=transit-gateway-route-table",
				1)
		},
	}, {
		Action: "ec2:DeleteTransitGatewayVpcAttachment", AWS: "an attachment is remembered as deleted",
		Change: func(form url.Values, status int, text string) (int, string) {
			_, attachment, _ := strings.Cut(text, "<transitGatewayVpcAttachment>")
			attachment, _, _ = strings.Cut(attachment, "</transitGatewayVpcAttachment>")
			deleted.Store(form.Get("TransitGatewayAttachmentId"), attachmentState.ReplaceAllString(attachment, "${1}deleted<"))
			return status, text
		},
	}, {
		Action: "ec2:DescribeTransitGatewayVpcAttachments", AWS: "a deleted attachment has the state deleted",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			attachment, is := deleted.Load(form.Get("TransitGatewayAttachmentIds.1"))
			if !is {
				return 0, "", false
			}
			return answered("DescribeTransitGatewayVpcAttachments",
				fmt.Sprintf("<transitGatewayVpcAttachments><item>%s</item></transitGatewayVpcAttachments>", attachment))
		},
	}}
}

// described matches a rule in the answer to its creation.
var described = regexp.MustCompile(`<securityGroupRuleId>([^<]*)</securityGroupRuleId>`)

// descriptions are the answers about rules of security groups that refer to a group.
func descriptions() []Answer {
	var texts sync.Map // by the rule's ID
	note := func(form url.Values, status int, text string) (int, string) {
		if about := form.Get("IpPermissions.1.Groups.1.Description"); about != "" {
			for _, rule := range described.FindAllString(text, -1) {
				texts.Store(rule, about)
			}
		}
		return status, text
	}
	everyPort := func(_ *http.Request, body string) string { // moto fails without ports
		if form, err := url.ParseQuery(body); err != nil || form.Get("IpPermissions.1.IpProtocol") == "-1" ||
			form.Get("IpPermissions.1.FromPort") != "" {
			return body
		}
		return body + "&IpPermissions.1.FromPort=-1&IpPermissions.1.ToPort=-1"
	}
	return []Answer{
		{Action: "ec2:AuthorizeSecurityGroupIngress", AWS: "a rule that refers to a group keeps its description; one for a protocol without ports needs none", Request: everyPort, Change: note},
		{Action: "ec2:AuthorizeSecurityGroupEgress", AWS: "likewise", Change: note},
		{
			Action: "ec2:DescribeSecurityGroupRules", AWS: "likewise",
			Change: func(_ url.Values, status int, text string) (int, string) {
				texts.Range(func(rule, about any) bool {
					text = strings.ReplaceAll(text, fmt.Sprint(rule),
						fmt.Sprintf("%s<description>%s</description>", rule, html.EscapeString(fmt.Sprint(about))))
					return true
				})
				return status, text
			},
		},
	}
}

// networkBalancers are the answers about network load balancers: moto names every one loadbalancer/app/.
func networkBalancers() []Answer {
	answer := func(action string) Answer {
		return Answer{
			Action: action, AWS: "the ARN of a network load balancer has loadbalancer/net/",
			Request: func(_ *http.Request, body string) string {
				return strings.ReplaceAll(body, "loadbalancer%2Fnet%2F", "loadbalancer%2Fapp%2F")
			},
			Change: func(_ url.Values, status int, text string) (int, string) {
				return status, strings.ReplaceAll(text, "loadbalancer/app/", "loadbalancer/net/")
			},
		}
	}
	return []Answer{
		answer("elasticloadbalancing:DescribeLoadBalancers"), answer("elasticloadbalancing:DescribeLoadBalancerAttributes"),
		answer("elasticloadbalancing:DescribeTags"),
		answer("ec2:CreateVpcEndpointServiceConfiguration"), answer("ec2:DescribeVpcEndpointServiceConfigurations"),
	}
}

// answered returns an answer of EC2 with the element inside.
func answered(action, inside string) (int, string, bool) {
	return http.StatusOK, fmt.Sprintf(`<%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>%s</%sResponse>`, action, inside, action), true
}

// ipam are the answers about pools of IPAM, which moto does not have: each ID is that of a pool of private addresses in
// us-east-1.
func ipam() []Answer {
	return []Answer{{
		Action: "ec2:DescribeIpamPools", AWS: "a pool has a scope, a locale and a family of addresses",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			return answered("DescribeIpamPools", "<ipamPoolSet><item><ownerId>123456789012</ownerId><ipamPoolId>"+
				form.Get("IpamPoolId.1")+"</ipamPoolId>"+
				"<ipamScopeArn>arn:aws:ec2::123456789012:ipam-scope/ipam-scope-0123456789abcdef0</ipamScopeArn><ipamScopeType>private</ipamScopeType>"+
				"<locale>us-east-1</locale><state>create-complete</state><addressFamily>ipv4</addressFamily></item></ipamPoolSet>")
		},
	}, {
		Action: "ec2:AllocateIpamPoolCidr", AWS: "a preview answers with the pool's next free CIDR, and allocates nothing",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			return answered("AllocateIpamPoolCidr",
				"<ipamPoolAllocation><cidr>10.0.0.0/"+form.Get("NetmaskLength")+"</cidr></ipamPoolAllocation>")
		},
	}, {
		Action: "ec2:GetIpamPoolAllocations", AWS: "a pool has its addresses again after the deletion of a VPC",
		Instead: func(*http.Request, url.Values) (int, string, bool) {
			return answered("GetIpamPoolAllocations", "<ipamPoolAllocationSet/>")
		},
	}}
}

// allocation matches the ID of an address.
var allocation = regexp.MustCompile(`<allocationId>[^<]*</allocationId>`)

// addresses are the answers about elastic IPs, and pools of public addresses, which moto does not have.
func addresses() []Answer {
	var pools sync.Map // by the address's ID, of those that are not Amazon's
	return []Answer{{
		Action: "ec2:DescribePublicIpv4Pools", AWS: "a pool has free addresses",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			return answered("DescribePublicIpv4Pools",
				"<publicIpv4PoolSet><item><poolId>"+form.Get("PoolId.1")+
					"</poolId><networkBorderGroup>us-east-1</networkBorderGroup>"+
					"<totalAddressCount>16</totalAddressCount><totalAvailableAddressCount>16</totalAvailableAddressCount></item></publicIpv4PoolSet>")
		},
	}, {
		Action: "ec2:AllocateAddress", AWS: "an address is of the pool of the request",
		Change: func(form url.Values, status int, text string) (int, string) {
			if pool := form.Get("PublicIpv4Pool"); pool != "" {
				pools.Store(allocation.FindString(text), pool)
			}
			return status, text
		},
	}, {
		Action: "ec2:DescribeAddresses", AWS: "an address has a pool, which is Amazon's by default, and a network border group",
		Change: func(_ url.Values, status int, text string) (int, string) {
			return status, allocation.ReplaceAllStringFunc(text, func(id string) string {
				pool, given := pools.Load(id)
				if !given {
					pool = "amazon"
				}
				return fmt.Sprintf("%s<publicIpv4Pool>%s</publicIpv4Pool><networkBorderGroup>us-east-1</networkBorderGroup>", id, pool)
			})
		},
	}}
}

// createDHCPOptions creates DHCP options with the tags of the request.
func createDHCPOptions(r *http.Request, compute *ec2.Client, form url.Values) (int, string, bool) {
	input := &ec2.CreateDhcpOptionsInput{}
	for i := 1; form.Get(fmt.Sprintf("DhcpConfiguration.%d.Key", i)) != ""; i++ {
		option := ec2types.NewDhcpConfiguration{Key: aws.String(form.Get(fmt.Sprintf("DhcpConfiguration.%d.Key", i)))}
		for j := 1; form.Get(fmt.Sprintf("DhcpConfiguration.%d.Value.%d", i, j)) != ""; j++ {
			option.Values = append(option.Values, form.Get(fmt.Sprintf("DhcpConfiguration.%d.Value.%d", i, j)))
		}
		input.DhcpConfigurations = append(input.DhcpConfigurations, option)
	}
	created, err := compute.CreateDhcpOptions(r.Context(), input)
	if err != nil {
		return refused("InvalidParameterValue", err.Error())
	}
	id := aws.ToString(created.DhcpOptions.DhcpOptionsId)
	tags := &ec2.CreateTagsInput{Resources: []string{id}}
	for i := 1; ; i++ {
		tag := fmt.Sprintf("TagSpecification.1.Tag.%d.", i)
		if form.Get(tag+"Key") == "" {
			break
		}
		tags.Tags = append(tags.Tags, ec2types.Tag{
			Key:   aws.String(form.Get(tag + "Key")),
			Value: aws.String(form.Get(tag + "Value")),
		})
	}
	if _, err := compute.CreateTags(r.Context(), tags); err != nil {
		return refused("InvalidParameterValue", err.Error())
	}
	return answered("CreateDhcpOptions", "<dhcpOptions><dhcpOptionsId>"+id+"</dhcpOptionsId></dhcpOptions>")
}
