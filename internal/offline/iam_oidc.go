package offline

import (
	"fmt"
	"net/url"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

const oidcToken = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"

func oidcKinds() []*kind {
	return []*kind{{
		token: oidcToken, args: iam.OpenIdConnectProviderArgs{}, state: iam.OpenIdConnectProviderState{},
		service: "IAM", noun: "OIDC Provider", global: true,
		calls: calls{"CreateOpenIDConnectProvider", "UpdateOpenIDConnectProviderThumbprint",
			"DeleteOpenIDConnectProvider"},
		required: []string{"clientIdLists"},
		computed: []string{"thumbprintLists"},
		valid:    map[string]func(string) string{"url": issuerFault},
		forms:    map[string]form{"clientIdLists": asSet, "url": asURL},
		replaces: []string{"url"},
		unique:   []string{"url"},
		missing:  answer{"NoSuchEntity", "OpenIDConnect Provider not found for arn %s"},
		rules:    []rule{issuerIsNew, thumbprintLengths},
		make: func(c *call) error {
			s := c.rec.State
			// AWS keeps and reports the issuer without its scheme.
			s["url"] = asURL.of(s.text("url"))
			c.rec.ID = c.globalARN("iam", "oidc-provider/"+s.text("url"))
			s["arn"] = c.rec.ID
			if len(s.texts("thumbprintLists")) == 0 {
				s["thumbprintLists"] = list(randomOf("0123456789abcdef", 40))
			}
			return nil
		},
		change: func(c *call) error {
			c.rec.State["url"] = asURL.of(c.in().text("url"))
			return nil
		},
	}}
}

// issuerFault holds an issuer's URL against IAM's rules.
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

// issuerIsNew: an account knows an issuer once.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
func issuerIsNew(c *call) error {
	issuer := asURL.of(c.in().text("url"))
	for _, other := range c.all(oidcToken) {
		if other.ID != c.rec.ID && other.State["url"] == issuer {
			return refuse("EntityAlreadyExists", "Provider with url https://%s already exists.", issuer)
		}
	}
	return nil
}

// thumbprintLengths: a thumbprint has forty hex digits, and a provider five at most.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
func thumbprintLengths(c *call) error {
	prints := c.in().texts("thumbprintLists")
	if len(prints) > 5 {
		return refuse("InvalidInput", "Thumbprint list must contain fewer than 5 entries.")
	}
	for _, print := range prints {
		if len(print) != 40 {
			return refuse("InvalidInput", "Thumbprint %s must be 40 characters long.", print)
		}
	}
	return nil
}
