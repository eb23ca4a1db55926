package capa

import (
	"cmp"
	"fmt"
	"strings"
	"text/template"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func (i Image) validate() error {
	var faults fault.Faults
	if input.IsSet(i.ID) {
		faults.Join("id", input.IfPlain(i.ID, validateImageID))
		for _, other := range []struct{ path, value string }{{"org", i.Org}, {"baseOS", i.BaseOS}, {"format", i.Format}} {
			if other.value != "" {
				faults.Add(other.path, other.value, "conflicts with id, which selects the image", "set only one of the two")
			}
		}
		return faults.Err()
	}
	if i.Org != "" && !awsid.IsAccount(i.Org) {
		faults.Add("org", i.Org, "is not the ID of an account", "use twelve digits")
	}
	if _, err := i.namePattern("v1.2.3"); err != nil {
		faults.Add("format", i.Format, "is not a template: "+err.Error(), "use one such as "+DefaultImageFormat)
	}
	return faults.Err()
}

func validateImageID(id string) error {
	if awsid.IsEC2("ami", id) {
		return nil
	}
	return &fault.Fault{
		Value:   id,
		Problem: "is not the ID of a machine image",
		Remedy:  "use one such as ami-0123456789abcdef0",
	}
}

// namePattern returns the image's name with wildcards, as CAPA builds it. Source: CAPA's pkg/cloud/services/ec2/ami.go.
func (i Image) namePattern(version string) (string, error) {
	parsed, err := template.New("image").Option("missingkey=error").Parse(cmp.Or(i.Format, DefaultImageFormat))
	if err != nil {
		return "", err
	}
	var name strings.Builder
	if err := parsed.Execute(&name, struct{ BaseOS, K8sVersion string }{cmp.Or(i.BaseOS,
		DefaultBaseOS), strings.TrimPrefix(version, "v")}); err != nil {
		return "", err
	}
	return name.String(), nil
}

// missing returns the fault of an image that was not found.
func (i Image) missing(version, architecture, region string) *fault.Fault {
	pattern, _ := i.namePattern(version)
	return &fault.Fault{
		Path: "image", Value: pattern,
		Problem: fmt.Sprintf("names no available image for %s of account %s in %s, so there is none for Kubernetes %s",
			architecture, cmp.Or(i.Org, DefaultImageOrg), region, version),
		Remedy: "use another kubernetesVersion or baseOS, or build an image and set image.id; CAPA publishes images of the latest three release series, " +
			"in commercial regions alone",
	}
}
