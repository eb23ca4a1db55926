package moto

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Answer is an answer of AWS where moto's is another one.
type Answer struct {
	// Action is the IAM action of the request.
	Action string
	// AWS is what AWS answers, and what relies on it.
	AWS string
	// Instead returns the answer to a request that is not sent to moto; false if it is sent. May be nil.
	Instead func(r *http.Request, form url.Values) (status int, text string, answered bool)
	// Request returns what is sent to moto instead of the body of a request, whose URL it may change. May be nil.
	Request func(r *http.Request, body string) string
	// Change returns AWS's status and text for moto's. form has the parameters of the request. May be nil.
	Change func(form url.Values, status int, text string) (int, string)
}

// Judge is one of the judges whose requests pass a proxy with answers of AWS.
type Judge string

// The judges.
const (
	ClusterAPI Judge = "Cluster API's managers"
	HyperShift Judge = "HyperShift's controllers"
	Provider   Judge = "the AWS provider"
)

// Judges returns the judges.
func Judges() []Judge { return []Judge{ClusterAPI, HyperShift, Provider} }

// balancerName matches the DNS name of a load balancer in an answer.
var balancerName = regexp.MustCompile(`<DNSName>[^<]*</DNSName>`)

// Answers returns the answers that are changed for a judge. compute is a client of moto, which only the answers use.
func Answers(judge Judge, compute *ec2.Client) []Answer {
	switch judge {
	case Provider:
		return providerAnswers(compute)
	case ClusterAPI:
		return []Answer{{
			Action: "elasticloadbalancing:DescribeLoadBalancers", AWS: "the names of load balancers resolve; here to localhost",
			Change: func(_ url.Values, status int, text string) (int, string) {
				return status, balancerName.ReplaceAllString(text, "<DNSName>localhost</DNSName>")
			},
		}, {
			Action: "elasticloadbalancing:DescribeTargetGroups", AWS: "a load balancer without target groups has an empty list",
			Change: func(_ url.Values, status int, text string) (int, string) {
				if !strings.Contains(text, "TargetGroupNotFound") {
					return status, text
				}
				return http.StatusOK, `<DescribeTargetGroupsResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/">` +
					`<DescribeTargetGroupsResult><TargetGroups/></DescribeTargetGroupsResult></DescribeTargetGroupsResponse>`
			},
		}}
	case HyperShift:
		return hyperShiftAnswers(compute)
	}
	return nil
}

func hyperShiftAnswers(compute *ec2.Client) []Answer {
	return append(endpointsDeleted(nil), Answer{
		Action: "ec2:CreateVpcEndpointServiceConfiguration", AWS: "a load balancer has one endpoint service: a second one is refused as InvalidParameter",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) {
			if !offered(r.Context(), compute, form.Get("NetworkLoadBalancerArn.1")) {
				return 0, "", false
			}
			return refused("InvalidParameter", "LBs are already associated with another VPC Endpoint Service Configuration")
		},
	})
}

// endpointsDeleted are the answers about VPC endpoints: moto keeps a deleted one. view, which may be nil, changes a
// list.
func endpointsDeleted(view func(text string) string) []Answer {
	var mu sync.Mutex
	deleted := map[string]bool{}
	return []Answer{{
		Action: "ec2:DeleteVpcEndpoints", AWS: "an endpoint is deleted from all its route tables, and is remembered as deleted",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			mu.Lock()
			defer mu.Unlock()
			deleted[form.Get("VpcEndpointId.1")] = true
			return 0, "", false
		},
		// for a gateway endpoint whose route tables have changed
		Change: func(_ url.Values, status int, text string) (int, string) {
			if !strings.Contains(text, "InvalidRoute.NotFound") {
				return status, text
			}
			return http.StatusOK, `<DeleteVpcEndpointsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId><unsuccessful/></DeleteVpcEndpointsResponse>`
		},
	}, {
		Action: "ec2:DescribeVpcEndpoints", AWS: "a deleted endpoint is not found",
		Instead: func(_ *http.Request, form url.Values) (int, string, bool) {
			mu.Lock()
			defer mu.Unlock()
			if id := form.Get("VpcEndpointId.1"); deleted[id] {
				return refused("InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '"+id+"' does not exist")
			}
			return 0, "", false
		},
		Change: func(_ url.Values, status int, text string) (int, string) {
			if view != nil {
				text = view(text)
			}
			return status, text
		},
	}}
}

// refused returns an error of EC2.
func refused(code, message string) (int, string, bool) {
	return http.StatusBadRequest, fmt.Sprintf("<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>1</RequestID></Response>", code, message), true
}

// offered reports whether a load balancer has an endpoint service.
func offered(ctx context.Context, compute *ec2.Client, balancer string) bool {
	all, err := compute.DescribeVpcEndpointServiceConfigurations(ctx, &ec2.DescribeVpcEndpointServiceConfigurationsInput{})
	return err == nil && slices.ContainsFunc(all.ServiceConfigurations, func(s ec2types.ServiceConfiguration) bool {
		return slices.Contains(s.NetworkLoadBalancerArns, balancer)
	})
}

// WatchAs is like Watch, with the answers of AWS for a judge where moto's are others.
func WatchAs(t *testing.T, judge Judge, address string) (string, *Calls) {
	t.Helper()
	return watch(t, address, append(Answers(judge, NewAccount(t, Config(address, "ec2")).Compute), quotas()...))
}
