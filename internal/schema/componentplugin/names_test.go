package componentplugin

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumierrors "github.com/pulumi/pulumi/sdk/v3/go/pulumi/errors"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAnAcronymHasOneCapitalInAProperty(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"vpcID": "vpcId", "oidcProviderARN": "oidcProviderArn", "vpcCIDR": "vpcCidr", "machineCIDRs": "machineCidrs",
		"endpointVPCID": "endpointVpcId", "endpointDNSName": "endpointDnsName",
		"operatorOIDCS3RoleARN": "operatorOidcS3RoleArn",
		"operatorEC2RoleARN":    "operatorEc2RoleArn", "vpcIPv6CIDR": "vpcIpv6Cidr", "publicIPv4Pool": "publicIpv4Pool",
		"elasticIPs": "elasticIps", "certSANs": "certSans", "sizeGiB": "sizeGiB", "zones": "zones", "identity": "identity",
	} {
		require.Equal(t, want, PropertyName(key))
	}
}

// Two keys of a struct must not become one property, and a property keeps its name when it is named again.
func TestEveryPropertyOfThePackageIsNamedByTheRule(t *testing.T) {
	t.Parallel()
	var schema struct {
		Resources map[string]struct{ InputProperties, Properties map[string]any }
		Types     map[string]struct{ Properties map[string]any }
	}
	require.NoError(t, json.Unmarshal(Schema, &schema))
	check := func(token string, properties map[string]any) {
		for name := range properties {
			require.NotRegexp(t, `[A-Z]{2}`, name, token)
			require.Equal(t, name, PropertyName(name), token)
		}
	}
	for token, resource := range schema.Resources {
		check(token, resource.InputProperties)
		check(token, resource.Properties)
	}
	for token, typ := range schema.Types {
		check(token, typ.Properties)
	}
	for _, c := range Components() {
		require.Len(t, schema.Resources[c.Token].InputProperties, len(Fields(c.Inputs, c.Section != "")), c.Token)
		require.Len(t, schema.Resources[c.Token].Properties, len(OutputFields(c.Outputs)), c.Token)
	}
	for _, key := range keysOf(reflect.TypeFor[config.Account]()) {
		require.Equal(t, key, PropertyName(key), "the keys of an account are those of the package aws")
	}
}

func keysOf(t reflect.Type) (keys []string) {
	for _, field := range Fields(t, true) {
		keys = append(keys, field.Key)
	}
	return keys
}

func TestOutputsHaveTheNamesOfPropertiesAndMapsKeepTheirKeys(t *testing.T) {
	t.Parallel()
	type zone struct {
		ZoneID pulumi.StringOutput `pulumi:"zoneID"`
	}
	type inner struct {
		BucketARN pulumi.StringOutput `pulumi:"bucketARN"`
	}
	type component struct {
		pulumi.ResourceState
		inner
		Zone      zone                  `pulumi:"zone"`
		SubnetIDs pulumi.StringMapInput `pulumi:"subnetIDs"`
		Infra     pulumi.MapInput       `pulumi:"infra"`
	}
	text := pulumi.String("text")
	require.Equal(t, pulumi.Map{
		"zone": pulumi.Map{"zoneId": text}, "subnetIds": pulumi.Map{"theID": text}, "infra": pulumi.Map{"infraID": text},
	}, withPropertyNames(pulumi.Map{
		"zone": pulumi.Map{"zoneID": text}, "subnetIDs": pulumi.Map{"theID": text}, "infra": pulumi.Map{"infraID": text},
	}, reflect.TypeFor[component]()))
}

func TestAFaultNamesThePropertiesAsTheProgramSpellsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		token      string
		fault      fault.Fault
		path, text string
	}{
		{"network:GuestNetwork", fault.Fault{Path: "vpcCIDR", Value: "vpcCIDR", Problem: "is no network"},
			"vpcCidr", `"vpcCIDR" is no network`},
		{"network:GuestNetwork", fault.Fault{Path: "infraID", Problem: "is missing"}, "cluster.infraId", "is missing"},
		{"network:GuestNetwork", fault.Fault{Path: "elasticIPs[the-IDs]", Problem: "is unknown"},
			`elasticIps["the-IDs"]`, "is unknown"},
		{"iam:RoleSet", fault.Fault{Path: "existing.roles[ingressARN]", Problem: "is no role"},
			`options.existing.roles["ingress"]`, "is no role"},
		{"stacks:Cluster", fault.Fault{Path: "hypershift-aws:cluster.iam.existing.roles[ingressARN]", Problem: "is no role"},
			`iam.existing.roles["ingressArn"]`, "is no role"},
		{"stacks:Cluster", fault.Fault{
			Path: "hypershift-aws:cluster.hostedCluster.nodePools[0].rootVolume.kmsKeyARN", Problem: "differs from kmsKeyARN",
			Remedy: "set cluster.kmsKeyARN: or network.existing.vpcID, not spec.platform.vpcID, \"kmsKeyARN\" or `up --x kmsKeyARN`",
		}, `hostedCluster.nodePools[0].rootVolume.kmsKeyArn`, "differs from kmsKeyArn; set cluster.kmsKeyArn: or " +
			"network.existing.vpcId, not spec.platform.vpcID, \"kmsKeyARN\" or `up --x kmsKeyARN`"},
		{"hostedcluster:HostedCluster", fault.Fault{Path: "spec.platform.aws.rolesRef.ingressARN", Problem: "is refused"},
			"settings.spec.platform.aws.rolesRef.ingressARN", "is refused"},
	} {
		var refused *pulumierrors.InputPropertiesError
		require.ErrorAs(t, byToken(t, c.token).refused("x", nil, &c.fault), &refused)
		require.Len(t, refused.Errors, 1)
		require.Equal(t, c.path, refused.Errors[0].PropertyPath)
		require.Equal(t, c.text, refused.Errors[0].Reason)
	}
}

// inComment matches a name that is only Go's: of a struct of inputs, or with a dot.
var inComment = regexp.MustCompile(`\b[A-Z]\w*Args\b|\b[A-Z]\w*\.[A-Z]\w*`)

func TestDescriptionsNamePropertiesAndNotFieldsOfGo(t *testing.T) {
	t.Parallel()
	fields := map[string]string{}
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of.Implements(reflect.TypeFor[pulumi.Input]()) {
			return
		}
		for _, field := range Fields(of, false) {
			if _, seen := fields[field.Name]; !seen {
				fields[field.Name] = PropertyName(field.Key)
				look(field.Type)
			}
		}
	}
	for _, c := range Components() {
		look(c.Inputs)
	}
	objects := map[string]bool{
		"AutoNode": true, "AWSCluster": true, "HostedCluster": true, "MachineDeployments": true, "NodePools": true,
		"PrivateLink": true,
	}
	var schema any
	require.NoError(t, json.Unmarshal(Schema, &schema))
	var read func(value any)
	read = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				read(item)
			}
		case map[string]any:
			for key, item := range v {
				text, is := item.(string)
				if key != "description" || !is {
					read(item)
					continue
				}
				text, _, _ = strings.Cut(text, "{{% examples")
				text = regexp.MustCompile(`\{\{[^}]*\}\}|"[^"]*"`).ReplaceAllString(text, "")
				require.Empty(t, inComment.FindAllString(text, -1), text)
				for _, word := range regexp.MustCompile(`\b\w*[A-Z]\w*[A-Z]\w*`).FindAllString(text, -1) {
					key := fields[word]
					require.True(t, key == strings.ToLower(key) || objects[word], "%s is the property %s: %s", word, key, text)
				}
			}
		}
	}
	read(schema)
}
