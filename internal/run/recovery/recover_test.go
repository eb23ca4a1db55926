package recovery

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

const (
	urnVPC    = "urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::vpc"
	urnSubnet = "urn:pulumi:dev::hypershift-aws::aws:ec2/subnet:Subnet::subnet"
)

func meta(op apitype.OpType, urn, token string, inputs map[string]any) apitype.StepEventMetadata {
	return apitype.StepEventMetadata{Op: op, URN: urn, Type: token,
		New: &apitype.StepEventStateMetadata{URN: urn, Type: token, Custom: true, Inputs: inputs}}
}

func TestOperationsThatHaveNotEndedAreUnfinished(t *testing.T) {
	t.Parallel()
	u := NewJournal(t.TempDir())
	require.NoError(t, u.Began(meta(apitype.OpCreate, urnVPC, awstype.VPC, nil)))
	require.NoError(t, u.Ended(meta(apitype.OpCreate, urnVPC, awstype.VPC, nil)))
	require.NoError(t, u.Began(meta(apitype.OpCreate, urnSubnet, awstype.Subnet, nil)))
	require.NoError(t, u.Began(meta(apitype.OpSame, "same", awstype.VPC, nil)))
	require.NoError(t, u.Ended(meta(apitype.OpRefresh, "read", awstype.VPC, nil)))

	// A line that was being written when the program was interrupted.
	file, err := os.OpenFile(u.path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"op":"crea`)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	run, err := u.unfinished()
	require.NoError(t, err)
	require.Len(t, run.entries, 1)
	require.Equal(t, urnSubnet, run.entries[0].URN)
	require.NoError(t, u.Clear())
	run, err = u.unfinished()
	require.NoError(t, err)
	require.Empty(t, run.entries)
}

func TestEndedOperationsAreUnfinishedAfterTheStateWasRestored(t *testing.T) {
	t.Parallel()
	u := NewJournal(t.TempDir())
	made := meta(apitype.OpCreate, urnVPC, awstype.VPC, nil)
	require.NoError(t, u.Began(made))
	made.New.ID = "vpc-1"
	require.NoError(t, u.Ended(made))
	require.NoError(t, u.restored())
	run, err := u.unfinished()
	require.NoError(t, err)
	require.Len(t, run.entries, 1)
	require.Equal(t, "vpc-1", run.entries[0].made.ID)
}

const exported = `{"version":3,"deployment":{"manifest":{"magic":"m"},"unheardOf":{"keep":"me"},"resources":[
  {"urn":"urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::vpc","custom":true,"id":"vpc-1","type":"aws:ec2/vpc:Vpc","outputs":{"id":"vpc-1"},"unheardOf":7},
  {"urn":"urn:pulumi:dev::hypershift-aws::pulumi:pulumi:Stack::dev","custom":false,"type":"pulumi:pulumi:Stack",
   "outputs":{"kind":"cluster","key":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"c"}}}],
  "pending_operations":[{"type":"creating","resource":{"urn":"urn:pulumi:dev::hypershift-aws::aws:ec2/subnet:Subnet::subnet","custom":true,
    "type":"aws:ec2/subnet:Subnet","inputs":{"vpcId":"vpc-1"},"dependencies":["urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::vpc"]}}]}}`

func TestUnknownFieldsOfAStateAreKept(t *testing.T) {
	t.Parallel()
	d, err := state.ParseExport([]byte(exported))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"kind": "cluster", "key": "[secret]"}, map[string]any(d.Outputs()))
	require.NoError(t, d.Resources[0].Set("delete", true))
	untyped, err := d.Encode()
	require.NoError(t, err)
	var written map[string]any
	require.NoError(t, json.Unmarshal(untyped.Deployment, &written))
	require.Equal(t, map[string]any{"keep": "me"}, written["unheardOf"])
	require.NotContains(t, written, "pending_operations")
	vpc := written["resources"].([]any)[0].(map[string]any)
	require.Equal(t, true, vpc["delete"])
	require.InDelta(t, 7, vpc["unheardOf"], 0)
}

func TestAnOperationIsSettledOnce(t *testing.T) {
	t.Parallel()
	d, err := state.ParseExport([]byte(exported))
	require.NoError(t, err)
	subnet := meta(apitype.OpCreate, urnSubnet, awstype.Subnet, map[string]any{"vpcId": "vpc-1"})
	vpc := meta(apitype.OpCreate, urnVPC, awstype.VPC, nil)
	open := openOperations(d, interrupted{
		entries: []entry{{Op: subnet.Op, URN: subnet.URN, State: subnet.New}, {Op: vpc.Op, URN: vpc.URN, State: vpc.New}},
	})
	require.Len(t, open, 1, "the VPC is in the state")
	require.Equal(t, urnSubnet, open[0].urn)

	d.Pending = nil
	open = openOperations(d, interrupted{entries: []entry{{Op: subnet.Op, URN: subnet.URN, State: subnet.New}}})
	require.Len(t, open, 1)
	require.Equal(t, urnVPC, string(open[0].create.Dependencies[0]), "its VPC is the one whose ID is among its inputs")
}

// A provider was being deleted when its run was killed, and left the state afterwards.
func TestOnlyWhatTheStateHasIsRead(t *testing.T) {
	t.Parallel()
	d, err := state.ParseExport([]byte(exported))
	require.NoError(t, err)
	r := &recovery{
		state: d,
		read:  []string{"urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::default_6_83_4", urnVPC},
	}
	require.Equal(t, []string{urnVPC}, r.targets())
}

func TestResourcesAreSortedAfterTheirDependencies(t *testing.T) {
	t.Parallel()
	d, err := state.ParseExport([]byte(exported))
	require.NoError(t, err)
	d.Resources = append([]*state.Resource{d.Pending[0].Resource}, d.Resources...)
	d.Sort()
	require.Equal(t, urnVPC, string(d.Resources[0].URN))
	require.Equal(t, urnSubnet, string(d.Resources[1].URN))
}

func TestAProvidersErrorIsDistinguishedFromABrokenConnection(t *testing.T) {
	t.Parallel()
	require.True(t, Answered(2), "the status of a provider's error")
	require.False(t, Answered(0), "the status of a call that was cut off")
}
