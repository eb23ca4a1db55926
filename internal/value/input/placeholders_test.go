package input

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

type siteArgs struct {
	VPCID   pulumi.StringInput            `placeholder:"vpc-*"`
	Other   pulumi.StringInput            `placeholder:"vpc-*"`
	None    pulumi.StringInput            `placeholder:"vpc-*"`
	CIDRs   []pulumi.StringInput          `placeholder:"cidr"`
	Roles   map[string]pulumi.StringInput `placeholder:"arn:*"`
	Secret  pulumi.StringInput
	Options map[string]any
	Inner   *siteArgs
}

type site struct {
	VPCID, Other, None string
	CIDRs              []string
	Roles              map[string]string
	Inner              *site
}

func output(text string) pulumi.StringInput { return pulumi.String(text).ToStringOutput() }

func TestOutputsArePlaceholdersAndPlainTextsAreCopied(t *testing.T) {
	t.Parallel()
	args := &siteArgs{
		VPCID: output("vpc-1"), Other: pulumi.String("vpc-2"), CIDRs: []pulumi.StringInput{output("a"), output("b")},
		Roles: map[string]pulumi.StringInput{"a": output("a"), "b": pulumi.String("b"), "none": nil},
		Inner: &siteArgs{VPCID: output("vpc-3")},
	}
	in, filled := Placeholders{}, site{}
	in.Fill(&filled, args)
	require.Regexp(t, `^vpc-\d{17}$`, filled.VPCID)
	require.Equal(t, args.VPCID, in.Text(filled.VPCID))
	require.Equal(t, "vpc-2", filled.Other)
	require.Empty(t, filled.None)
	require.Regexp(t, `^198\.1[89]\.\d+\.\d+/32$`, filled.CIDRs[0])
	require.NotEqual(t, filled.CIDRs[0], filled.CIDRs[1])
	require.Len(t, filled.Roles, 2)
	require.Equal(t, args.Roles["a"], in.Text(filled.Roles["a"]))
	require.Equal(t, args.Inner.VPCID, in.Text(filled.Inner.VPCID))
	require.Len(t, in, 5)
}

func TestACopyWithPlaceholdersKeepsWhatHasNone(t *testing.T) {
	t.Parallel()
	args := &siteArgs{
		VPCID: output("vpc-1"), Secret: output("secret"), Options: map[string]any{"a": []any{"b"}},
		CIDRs: []pulumi.StringInput{output("a")},
		Inner: &siteArgs{Secret: output("inner")},
	}
	in, filled := Placeholders{}, siteArgs{}
	in.Fill(&filled, args)
	require.Equal(t, args.Secret, filled.Secret)
	require.Equal(t, args.Inner.Secret, filled.Inner.Secret)
	require.Equal(t, args.Options, filled.Options)
	require.Nil(t, filled.None)
	require.Equal(t, args.VPCID, in.Text(Text(filled.VPCID)))
	require.False(t, ArePlain(args.CIDRs...), "the args are not changed")
	require.True(t, ArePlain(filled.CIDRs...))
}
