package offline

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

const (
	nestedForceNew = "a property inside forces the new resource, not the list itself"
	laterOptional  = "required in 5.31, optional in the version that pulumi-aws 6.83 is made of"
)

// declaredOtherwise returns the properties that the offline account declares otherwise than testdata/provider/types.txt, and why it is
// right.
func declaredOtherwise() map[string]map[string]string {
	return map[string]map[string]string{
		awstype.VPC:                      {"instanceTenancy": "the provider decides by the change, and pulumi-aws has no default: leaving it out changes nothing"},
		awstype.VPCEndpoint:              {"serviceName": laterOptional},
		awstype.Instance:                 {"cpuOptions": nestedForceNew, "ebsBlockDevices": nestedForceNew, "enclaveOptions": nestedForceNew, "networkInterfaces": nestedForceNew, "creditSpecification": "the provider suppresses the difference of a list that is left out"},
		awstype.SecurityGroupIngressRule: {"securityGroupId": "a plan modifier replaces the rule; the schema of a framework resource does not show it"},
		awstype.SecurityGroupEgressRule:  {"securityGroupId": "a plan modifier replaces the rule; the schema of a framework resource does not show it"},
		awstype.OIDCProvider:             {"clientIdLists": "changes in place since 5.79", "thumbprintLists": laterOptional},
		awstype.BucketObject:             {"key": "pulumi-aws names the object after the resource"},
		awstype.BucketLifecycle:          {"rules": laterOptional},
		awstype.EventRule:                {"state": "the provider suppresses the difference of a state that is left out"},
	}
}

// declaration is what is said of one property.
type declaration struct{ required, optional, computed, forceNew bool }

// providerTypes reads what the provider declares: type, then property, then declaration.
func providerTypes(t *testing.T) map[string]map[string]declaration {
	t.Helper()
	file, err := os.Open("testdata/provider/types.txt")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	found := map[string]map[string]declaration{}
	var token string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line, fields := lines.Text(), strings.Fields(lines.Text())
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			token = line
			found[token] = map[string]declaration{}
		default:
			require.GreaterOrEqual(t, len(fields), 2, line)
			has := func(mark string) bool { return strings.Contains(fields[1], mark) }
			found[token][fields[0]] = declaration{required: has("r"), optional: has("o"), computed: has("c"), forceNew: has("f")}
		}
	}
	require.NoError(t, lines.Err())
	return found
}

// declared returns what k says of one of its properties, in the provider's terms.
func declared(k *aws.Kind, name string) declaration {
	in, input := k.Inputs[name]
	if !input {
		return declaration{computed: true}
	}
	d := declaration{computed: slices.Contains(k.Computed, name), forceNew: slices.Contains(k.ForceNew, name)}
	d.required = in.Required || slices.Contains(k.Required, name)
	d.optional = !d.required
	return d
}

// The table of what the provider declares is the measure: what the offline account declares otherwise has a reason.
func TestPropertiesAreDeclaredAsTheProviderDeclaresThem(t *testing.T) {
	t.Parallel()
	provider, reasons := providerTypes(t), declaredOtherwise()
	var differences []string
	for token, k := range catalogue().Kinds {
		for name := range provider[token] {
			if _, ours := k.Outputs[name]; !ours {
				differences = append(differences, fmt.Sprintf("%s.%s: only the provider has it", token, name))
			}
		}
		for name := range k.Outputs {
			theirs, known := provider[token][name]
			ours := declared(k, name)
			if name == "tagsAll" {
				theirs.optional, ours.optional = false, false // pulumi-aws takes it away from the inputs
			}
			if theirs.required && ours.optional && k.AutoName == name {
				// The provider requires a name, and pulumi-aws makes one up.
				theirs.required, theirs.optional = false, true
			}
			_, explained := reasons[token][name]
			switch {
			case !known:
				differences = append(differences, fmt.Sprintf("%s.%s: the table lacks it; the offline account says %+v", token, name, ours))
			case ours == theirs && explained:
				differences = append(differences, fmt.Sprintf("%s.%s: is declared as the provider declares it and needs no reason", token, name))
			case ours != theirs && !explained:
				differences = append(differences, fmt.Sprintf("%s.%s: the offline account says %+v, the provider %+v", token, name, ours, theirs))
			}
		}
	}
	slices.Sort(differences)
	require.Empty(t, differences, "%s", strings.Join(differences, "\n"))
}
