package moto

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

var (
	// soaValue matches the value of a zone's first SOA record, which moto writes as the text of a dictionary.
	soaValue = regexp.MustCompile(`<Value>\{'Value': '(?:[^']*)'\}</Value>`)
	// gatewayService matches the type of an endpoint service that is not AWS's own.
	gatewayService = regexp.MustCompile(`(<serviceName>com\.amazonaws\.vpce\.[^<]*</serviceName><serviceId>[^<]*</serviceId><serviceType><item><serviceType>)Gateway<`)
	// noOwner matches the empty owner of DHCP options.
	noOwner = regexp.MustCompile(`<ownerId>[^<]*</ownerId>`)
)

// providerAnswers returns the answers that are changed for the AWS provider. compute is a client of moto.
func providerAnswers(compute *ec2.Client) []Answer {
	return append(endpointsDeleted(), Answer{
		Action: "route53:ListResourceRecordSets", AWS: "the SOA record of a zone has seven fields",
		Change: func(status int, text string) (int, string) {
			return status, soaValue.ReplaceAllString(text, "<Value>ns-2048.awsdns-64.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400</Value>")
		},
	}, Answer{
		Action: "route53:CreateHostedZone", AWS: "a zone that is created with a VPC is private",
		Request: func(body string) string {
			if !strings.Contains(body, "<VPC>") || strings.Contains(body, "<PrivateZone>") {
				return body
			}
			return strings.Replace(body, "</HostedZoneConfig>", "<PrivateZone>true</PrivateZone></HostedZoneConfig>", 1)
		},
	}, Answer{
		Action: "ec2:CreateDhcpOptions", AWS: "DHCP options get the tags of the request",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) { return createDHCPOptions(r, compute, form) },
	}, Answer{
		Action: "ec2:DescribeVpcEndpointServices", AWS: "the endpoint service of a Gateway Load Balancer has the type GatewayLoadBalancer",
		Change: func(status int, text string) (int, string) {
			return status, gatewayService.ReplaceAllString(text, "${1}GatewayLoadBalancer<")
		},
	}, Answer{
		Action: "ec2:DescribeDhcpOptions", AWS: "DHCP options have their account as the owner",
		Change: func(status int, text string) (int, string) {
			text = noOwner.ReplaceAllString(text, "")
			return status, strings.ReplaceAll(text, "<dhcpOptionsId>", "<ownerId>123456789012</ownerId><dhcpOptionsId>")
		},
	})
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
		tags.Tags = append(tags.Tags, ec2types.Tag{Key: aws.String(form.Get(tag + "Key")), Value: aws.String(form.Get(tag + "Value"))})
	}
	if _, err := compute.CreateTags(r.Context(), tags); err != nil {
		return refused("InvalidParameterValue", err.Error())
	}
	return http.StatusOK, `<CreateDhcpOptionsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId><dhcpOptions><dhcpOptionsId>` + id +
		`</dhcpOptionsId></dhcpOptions></CreateDhcpOptionsResponse>`, true
}
