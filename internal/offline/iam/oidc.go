package iam

import (
	"fmt"
	"net/url"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func oidcKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.OIDCProvider, Args: iam.OpenIdConnectProviderArgs{}, State: iam.OpenIdConnectProviderState{},
		Service: "IAM", Noun: "OIDC Provider", Global: true,
		Calls: aws.Calls{Create: "CreateOpenIDConnectProvider", Update: "UpdateOpenIDConnectProviderThumbprint",
			Remove: "DeleteOpenIDConnectProvider"},
		ValidateFunc: map[string]func(string) string{"url": issuerFault},
		CompareAs:    map[string]props.Form{"url": props.AsURL},
		UniqueBy:     []string{"url"},
		NotFound:     awserr.Template{Code: "NoSuchEntity", Text: "OpenIDConnect Provider not found for arn %s"},
		Rules:        []aws.Rule{issuerIsNew, thumbprintLengths},
		ID: func(c *aws.Call) string {
			return c.GlobalARN("iam", "oidc-provider/"+props.AsURL.Of(c.State().String("url")).(string))
		},
		OnCreate: func(c *aws.Call) error {
			s := c.Resource.State
			// AWS stores and returns the issuer without its scheme.
			s["url"] = props.AsURL.Of(s.String("url"))
			if len(s.Strings("thumbprintLists")) == 0 {
				s["thumbprintLists"] = props.List(ids.RandomOf("0123456789abcdef", 40))
			}
			return nil
		},
		OnUpdate: func(c *aws.Call) error {
			c.Resource.State["url"] = props.AsURL.Of(c.State().String("url"))
			return nil
		},
	}}
}

// issuerFault checks an issuer's URL against IAM's rules.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
func issuerFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return fmt.Sprintf("%q has to be a valid URL", text)
	case u.Scheme != "https" || u.Host == "":
		return fmt.Sprintf("%q has to use HTTPS scheme (i.e. begin with https://)", text)
	case u.RawQuery != "":
		return fmt.Sprintf("%q cannot contain query parameters per the OIDC standard", text)
	case len(text) > 255:
		return fmt.Sprintf("%q cannot be longer than 255 characters", text)
	default:
		return ""
	}
}

// issuerIsNew: an account has one provider per issuer.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
func issuerIsNew(c *aws.Call) error {
	issuer := props.AsURL.Of(c.State().String("url"))
	for _, other := range c.All(awstype.OIDCProvider) {
		if other.ID != c.Resource.ID && other.State["url"] == issuer {
			return awserr.Errorf("EntityAlreadyExists", "Provider with url https://%s already exists.", issuer)
		}
	}
	return nil
}

// thumbprintLengths: a thumbprint has forty hex digits, and a provider at most five thumbprints.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
func thumbprintLengths(c *aws.Call) error {
	prints := c.State().Strings("thumbprintLists")
	if len(prints) > 5 {
		return awserr.Errorf("InvalidInput", "Thumbprint list must contain fewer than 5 entries.")
	}
	for _, print := range prints {
		if len(print) != 40 {
			return awserr.Errorf("InvalidInput", "Thumbprint %s must be 40 characters long.", print)
		}
	}
	return nil
}
