package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

func TestAProviderRefusesAnAccountThatItsConfigurationExcludes(t *testing.T) {
	t.Parallel()
	role := map[string]any{"roleArn": "arn:aws:iam::111111111111:role/deployer"}
	for name, test := range map[string]struct {
		config  props.Map
		refused bool
	}{
		"allowed": {props.Map{
			"assumeRole":        role,
			"allowedAccountIds": props.List("222222222222", "111111111111"),
		}, false},
		"not allowed": {props.Map{"assumeRole": role, "allowedAccountIds": `["222222222222"]`}, true},
		"forbidden":   {props.Map{"assumeRole": role, "forbiddenAccountIds": props.List("111111111111")}, true},
		"the default": {props.Map{"forbiddenAccountIds": props.List(aws.DefaultAccount)}, true},
		"another":     {props.Map{"forbiddenAccountIds": props.List("111111111111")}, false},
	} {
		test.config["region"] = "us-east-1"
		_, err := aws.NewSite(test.config)
		if test.refused {
			require.ErrorContains(t, err, "AWS account ID not allowed: ", name)
			continue
		}
		require.NoError(t, err, name)
	}
}

func TestAProviderRefusesARegionThatAWSDoesNotHave(t *testing.T) {
	t.Parallel()
	for region, skip := range map[string]any{"us-east-9": nil, "eu-west": "false", "US-EAST-1": false} {
		_, err := aws.NewSite(props.Map{"region": region, "skipRegionValidation": skip})
		require.ErrorContains(t, err, "invalid AWS Region: "+region)
	}
	for region, skip := range map[string]any{
		"us-east-9": "true", "eu-west-4": true, "ap-southeast-6": nil, "us-gov-east-1": nil,
	} {
		_, err := aws.NewSite(props.Map{"region": region, "skipRegionValidation": skip})
		require.NoError(t, err)
	}
}

func TestAnAccountSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Serve(Options{Dir: dir})
	require.NoError(t, err)
	id := attach(t, first, props.Map{"region": "us-east-1"}).vpc()
	require.NoError(t, first.Close())

	e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
	found, out, _ := e.read(awstype.VPC, id, nil)
	require.Equal(t, id, found)
	require.Equal(t, "10.0.0.0/16", out["cidrBlock"])
}

func TestServersOnOneFolderSeeEachOthersChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props.Map{"region": "us-east-1"}
	one, two := attach(t, serve(t, Options{Dir: dir}), config), attach(t, serve(t, Options{Dir: dir}), config)
	id := one.vpc()
	found, _, _ := two.read(awstype.VPC, id, nil)
	require.Equal(t, id, found)
	require.NoError(t, two.delete(awstype.VPC, id))
	found, _, _ = one.read(awstype.VPC, id, nil)
	require.Empty(t, found)
}

func TestConcurrentServersLoseNothingAndKeepTheRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := props.Map{"region": "us-east-1"}
	vpc := attach(t, serve(t, Options{Dir: dir}), config).vpc()

	var made, conflicts atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		e := attach(t, serve(t, Options{Dir: dir}), config)
		for i := range 8 {
			inputs, err := props.Marshal(e.valid(awstype.Subnet, props.Map{
				"vpcId":     vpc,
				"cidrBlock": fmt.Sprintf("10.0.%d.0/24", i),
			}))
			require.NoError(t, err)
			wg.Go(func() {
				_, err := e.client.Create(t.Context(), &pulumirpc.CreateRequest{
					Type:       awstype.Subnet,
					Name:       "it",
					Properties: inputs,
				})
				switch {
				case err == nil:
					made.Add(1)
				case strings.Contains(err.Error(), "InvalidSubnet.Conflict"):
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	require.EqualValues(t, 8, made.Load(), "one of the servers got each block")
	require.EqualValues(t, 24, conflicts.Load())

	accounts, err := Accounts(dir)
	require.NoError(t, err)
	require.Len(t, accounts, 1)
	require.Len(t, accounts[0].Resources(), 9)
}

func TestARefusedCallLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
	_, _, err := e.try(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/8"}, false)
	refused(t, err, "InvalidVpc.Range")
	accounts, err := Accounts(dir)
	require.NoError(t, err)
	require.Empty(t, accounts[0].Resources())
}

func TestAnOutOfBandDeletionShowsInARead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
	vpc := e.vpc()
	table := e.table(vpc)
	gateway := e.gateway(vpc)
	route := e.id(awstype.Route, props.Map{
		"routeTableId":         table,
		"destinationCidrBlock": "0.0.0.0/0",
		"gatewayId":            gateway,
	})

	accounts, err := Accounts(dir)
	require.NoError(t, err)
	require.Equal(t, "123456789012", accounts[0].ID())
	require.NoError(t, accounts[0].Remove(table))
	for token, id := range map[string]string{awstype.RouteTable: table, awstype.Route: route} {
		found, _, _ := e.read(token, id, nil)
		require.Empty(t, found, "%s", token)
	}
	found, _, _ := e.read(awstype.VPC, vpc, nil)
	require.Equal(t, vpc, found, "what held the table is still there")
	require.NoError(t, e.delete(awstype.RouteTable, table), "deleting a resource that does not exist is no fault")
	require.ErrorContains(t, accounts[0].Remove("rtb-none"), "has no resource rtb-none")
}

func TestDeletingAVPCDeletesWhatAWSCreatedWithIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
	require.NoError(t, e.delete(awstype.VPC, e.vpc()))
	left, err := filepath.Glob(filepath.Join(dir, "accounts", "*", "*", "*", "*.json"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestResourcesMarkSeedsAndLeaveOutAWSsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attach(t, serve(t, Options{
		Dir:   dir,
		Seeds: []seed.Seed{{Kind: seed.PublicZone, Name: "example.com"}},
	}), props.Map{"region": "us-east-1"})
	vpc := e.vpc()
	accounts, err := Accounts(dir)
	require.NoError(t, err)
	var seen []string
	for _, r := range accounts[0].Resources() {
		seen = append(seen, fmt.Sprint(r.Region, " ", r.Type, " ", r.Seed))
	}
	require.Equal(t, []string{"global aws:route53/zone:Zone true", "us-east-1 aws:ec2/vpc:Vpc false"}, seen)
	require.Equal(t, vpc, accounts[0].Resources()[1].ID)
}

func TestAnAccountThatWasNeverUsedIsNoError(t *testing.T) {
	t.Parallel()
	accounts, err := Accounts(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	require.Empty(t, accounts)
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Serve(Options{Dir: dir})
	require.NoError(t, err)
	id := attach(t, first, props.Map{"region": "us-east-1"}).vpc()
	require.NoError(t, first.Close())
	path := filepath.Join(dir, "accounts", "123456789012", "us-east-1", "ec2.Vpc", id+".json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = Accounts(dir)
	require.ErrorContains(t, err, path)
}

func TestAProviderThatAssumesARoleWorksInItsAccount(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props.Map{"region": "us-east-1", "assumeRole": `{"roleArn":"arn:aws:iam::111111111111:role/x"}`})
	identity, err := e.invoke("aws:index/getCallerIdentity:getCallerIdentity", nil)
	require.NoError(t, err)
	require.Equal(t, "111111111111", identity["accountId"])
}
