package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

const routerARN = "arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"

func loadLinked(t *testing.T, section string) (*File, error) {
	t.Helper()
	return load(t, strings.Replace(whole, "    kmsKeyARN:", "    privateLink: "+section+"\n    kmsKeyARN:", 1))
}

func TestAPrivateLinkThatCannotWorkIsRefusedWithItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for section, want := range map[string]string{
		`{owner: me}`:       `privateLink.owner: "me" is not an owner of PrivateLink; use operator or stack`,
		`{service: router}`: `privateLink.service: "router" is not a private service of a control plane; use private-router or kube-apiserver-private`,
		`{owner: stack}`:    `privateLink.loadBalancers are missing; set arns, names, or tags of the control plane's network load balancers, or the serviceName`,
		`{owner: stack, loadBalancers: {arns: [router]}}`: `privateLink.loadBalancers.arns[0]: "router" is not the ARN of a load balancer`,
		`{owner: stack, loadBalancers: {arns: ["` + strings.Replace(routerARN, "net/", "app/", 1) +
			`"]}}`: `is not a network load balancer; use one whose ARN contains loadbalancer/net/`,
		`{owner: stack, loadBalancers: {arns: ["` + strings.Replace(routerARN, "us-east-1", "eu-west-1", 1) + `"]}}`: `is in another region than us-east-1; use one of us-east-1`,
		`{owner: stack, loadBalancers: {names: [a], tags: {b: c}}}`:                                                  `privateLink.loadBalancers: "names, tags" are mutually exclusive`,
		`{serviceName: com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0}`:                                     `privateLink.serviceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0" is a service of another region than us-east-1; use a service of us-east-1`,
		`{owner: stack, loadBalancers: {names: [a]}, allowedPrincipals: [operator]}`:                                 `privateLink.allowedPrincipals[0]: "operator" is not the ARN of a principal`,
		`{owner: stack, loadBalancers: {names: [a]}, privateDNSName: x}`:                                             `privateLink.privateDNSName: "x" is not a domain name`,
		`{acceptanceRequired: true}`:    `privateLink.acceptanceRequired is for an endpoint service that HyperShift's operator creates; leave it out, or set owner: stack`,
		`{loadBalancers: {names: [a]}}`: `privateLink.loadBalancers is for an endpoint service that HyperShift's operator creates`,
		`{owner: stack, serviceName: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0, loadBalancers: {names: [a]}}`: `privateLink.loadBalancers conflicts with serviceName, which names an existing service; set only one of the two`,
	} {
		_, err := loadLinked(t, section)
		require.ErrorContains(t, err, want, section)
		require.Len(t, fault.In(err), 1, section)
		require.NotZero(t, fault.In(err)[0].Line, section)
	}
}

func TestPrivateLinkDefaultsToTheOperatorAndThePrivateRouter(t *testing.T) {
	t.Parallel()
	file, err := load(t, whole)
	require.NoError(t, err)
	require.Nil(t, As[*Cluster](file).PrivateLink)
	require.Equal(t, OwnerOperator, As[*Cluster](file).PrivateLinkOwner())
	file, err = loadLinked(t, `{owner: stack, loadBalancers: {arns: ["`+routerARN+`"]}}`)
	require.NoError(t, err)
	require.Equal(t, OwnerStack, As[*Cluster](file).PrivateLinkOwner())
	require.Equal(t, "private-router", string(As[*Cluster](file).PrivateLinkService()))
	require.Contains(t, file.Existing(nil), Existing{Kind: ExistingLoadBalancer, Name: routerARN})
}
