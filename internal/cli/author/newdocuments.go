package author

import (
	"fmt"
	"os"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// givenDocuments are the documents of resources that HyperShift's CLI created, for a stack that uses them.
type givenDocuments struct {
	infra documents.Infra
	iam   documents.IAM
	// publicSubnets are in the order of the zones: the document does not contain them.
	publicSubnets []string
}

// takeDocuments reads the files and fills in their values, unless a flag sets them.
func (v *newValues) takeDocuments(infraFile, iamFile string, publicSubnets []string) error {
	switch {
	case infraFile == "" && iamFile == "" && publicSubnets == nil:
		return nil
	case infraFile == "" || iamFile == "":
		return invocation.Refuse("--infra-json and --iam-json must be used together")
	}
	infra, err := os.ReadFile(infraFile)
	if err != nil {
		return fmt.Errorf("reading --infra-json: %w", err)
	}
	iamJSON, err := os.ReadFile(iamFile)
	if err != nil {
		return fmt.Errorf("reading --iam-json: %w", err)
	}
	d := &givenDocuments{publicSubnets: publicSubnets}
	if d.infra, d.iam, err = documents.Read(infra, iamJSON); err != nil {
		return err
	}
	if err := d.check(hypershift.EndpointAccess(v.endpointAccess)); err != nil {
		return err
	}
	for _, f := range []struct {
		value *string
		from  string
	}{
		{&v.name, d.infra.Name}, {&v.infraID, d.infra.InfraID}, {&v.region, d.infra.Region}, {&v.baseDomain, d.infra.BaseDomain},
		{&v.baseDomainPrefix, d.infra.BaseDomainPrefix}, {&v.oidcIssuer, d.iam.IssuerURL}, {&v.kmsKey, d.iam.KMSKeyARN},
	} {
		if *f.value == "" {
			*f.value = f.from
		}
	}
	v.documents = d
	return nil
}

// check refuses documents whose resources a stack cannot use as existing.
func (d *givenDocuments) check(access hypershift.EndpointAccess) error {
	switch {
	case d.iam.SharedIngressRoleARN != "" || d.infra.VPCCreatorAccountID != "":
		return invocation.Refuse("the documents describe a shared VPC, whose owner's roles cannot be used as existing: use `render`, which needs no stack")
	case access.HasPublic() && !d.infra.PublicOnly && len(d.publicSubnets) != len(d.infra.Zones):
		var zones []string
		for _, zone := range d.infra.Zones {
			zones = append(zones, zone.Name)
		}
		return invocation.Refuse("the infra document has no public subnets, which --endpoint-access %s needs: use --public-subnets, one each for %s",
			access.OrDefault(), strings.Join(zones, ", "))
	}
	return nil
}

// network writes the network's keys.
func (d *givenDocuments) network(f *yamlText, access hypershift.EndpointAccess) {
	f.comment("      ", "The existing VPC is checked, and never changed.")
	f.line("      existing:")
	f.key("        ", "vpcID", d.infra.VPCID, "")
	f.line("        subnets:")
	for i, zone := range d.infra.Zones {
		private, public := zone.SubnetID, ""
		if d.infra.PublicOnly {
			private, public = "", zone.SubnetID
		} else if access.HasPublic() {
			public = d.publicSubnets[i]
		}
		subnets := "zone: " + zone.Name
		if private != "" {
			subnets += ", private: " + private
		}
		if public != "" {
			subnets += ", public: " + public
		}
		f.line("          - {" + subnets + "}")
	}
	f.key("        ", "privateZoneID", d.infra.PrivateZoneID, "Z0123456789ABCDEFGHIJ")
	if access.HasPrivate() {
		f.key("        ", "localZoneID", d.infra.LocalZoneID, "Z0123456789ABCDEFGHIJ")
	}
	if d.infra.PublicOnly {
		f.line("      publicOnly: true")
	}
	if d.infra.ProxyAddr != "" {
		f.line("      proxy:")
		f.key("        ", "httpAddress", d.infra.ProxyAddr, "")
		f.key("        ", "httpsAddress", d.infra.SecureProxyAddr, d.infra.ProxyAddr)
		if d.infra.ProxyCA != "" {
			f.line(fmt.Sprintf("        ca: %q", d.infra.ProxyCA))
		}
	}
}

// roles writes the keys of roles.
func (d *givenDocuments) roles(f *yamlText) {
	f.comment("    ", "The existing roles and instance profile are checked, and never changed.")
	f.line("    iam:")
	if d.iam.KarpenterRoleARN != "" {
		f.line("      karpenter: true")
	}
	f.line("      existing:")
	f.key("        ", "instanceProfile", d.iam.ProfileName, "")
	f.line("        roles:")
	arns := d.iam.RoleARNs()
	for _, name := range iam.RoleNames() {
		if arn, ok := arns[name]; ok {
			f.key("          ", string(name)+"ARN", arn, "")
		}
	}
}
