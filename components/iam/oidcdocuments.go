package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const oidcDocumentsType = "hypershift-aws:iam:OIDCDocuments"

// OIDCDocuments are an issuer's two documents in its bucket, with which AWS verifies the tokens of a cluster that has
// its own signing key. HyperShift's operator does not write them for such a cluster.
type OIDCDocuments struct {
	pulumi.ResourceState

	// KeyID is the ID of the key in the documents and in tokens, which is not secret.
	KeyID pulumi.StringOutput `pulumi:"keyID"`
}

// OIDCDocumentsArgs are the inputs of OIDCDocuments. Their provider must be in the bucket's account and region.
type OIDCDocumentsArgs struct {
	// Cluster has the infra ID, below which the documents are. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// BucketName is the name of the bucket. Required.
	BucketName pulumi.StringInput `yaml:"-" pulumi:"bucketName"`
	// IssuerURL is the URL of the issuer, "https://…", from which AWS reads the documents. Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL"`
	// SigningKey is the RSA private key in PEM, of at least 2048 bits, whose public part the documents contain. A
	// different key for existing documents is refused. Required.
	SigningKey pulumi.StringInput `secret:"true" yaml:"-" pulumi:"signingKey"`
	// Unprotected turns off Pulumi's protection of the documents, so that they can be deleted. Default false.
	Unprotected bool `yaml:"-" pulumi:"unprotected,optional"`
	// Refused returns the error for a change that is refused, whose fault has the path signingKey. Default: the fault
	// itself.
	Refused func(error) error `yaml:"-"`
}

// Validate returns every fault in args.
func (args *OIDCDocumentsArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	if args.Cluster.InfraID == "" {
		faults.Add("infraID", nil, "is missing", "set the cluster's infra ID")
	}
	for _, required := range []struct {
		path, remedy string
		value        pulumi.StringInput
		check        func(string) error
	}{
		{"bucketName", "set the bucket of the issuer", args.BucketName, hypershift.ValidateBucketName},
		{"issuerURL", "set the issuer's URL", args.IssuerURL, hypershift.ValidateIssuer},
		{"signingKey", "set an RSA private key in PEM", args.SigningKey, func(text string) error { _, err := ReadSigningKey(text); return err }},
	} {
		if !input.IsSet(required.value) {
			faults.Add(required.path, nil, "is missing", required.remedy)
		} else {
			faults.Join(required.path, input.IfPlain(required.value, required.check))
		}
	}
	return faults.Err()
}

// NewOIDCDocuments registers the documents. The error lists every fault in args.
func NewOIDCDocuments(
	ctx *pulumi.Context,
	name string,
	args *OIDCDocumentsArgs,
	opts ...pulumi.ResourceOption,
) (*OIDCDocuments, error) {
	return component.New(ctx, oidcDocumentsType, "OIDC documents", name, args, opts,
		func(d *OIDCDocuments, args *OIDCDocumentsArgs) error {
			d.KeyID = public(args.SigningKey, func(key string) (string, error) {
				read, err := ReadSigningKey(key)
				if err != nil {
					return "", err
				}
				return SigningKeyID(&read.PublicKey)
			})
			sameKey, err := args.sameKey(ctx, name)
			if err != nil {
				return err
			}
			for _, document := range []struct {
				name, path string
				content    pulumi.StringInput
			}{
				{"configuration", configurationPath, public(args.IssuerURL, func(issuer string) (string, error) { return configurationDocument(issuer), nil })},
				{"jwks", jwksPath, public(args.SigningKey, func(key string) (string, error) {
					read, err := ReadSigningKey(key)
					if err != nil {
						return "", err
					}
					return jwksDocument(&read.PublicKey)
				})},
			} {
				_, err := s3.NewBucketObjectv2(ctx, name+"-"+document.name, &s3.BucketObjectv2Args{
					Bucket: args.BucketName, Key: pulumi.String(args.Cluster.InfraID + document.path),
					Content: document.content, ContentType: pulumi.String("application/json"),
				}, pulumi.Parent(d), sameKey, pulumi.Protect(!args.Unprotected))
				if err != nil {
					return err
				}
			}
			return nil
		})
}

// public returns what everyone may read of a value that may be secret.
func public(value pulumi.StringInput, read func(string) (string, error)) pulumi.StringOutput {
	return pulumi.Unsecret(value.ToStringOutput().ApplyT(func(text string) (string, error) {
		content, err := read(text)
		var faults fault.Faults
		faults.Join("signingKey", err)
		return content, faults.Err()
	})).(pulumi.StringOutput)
}

// sameKey returns an option of the documents that refuses other contents, in a preview too.
func (args *OIDCDocumentsArgs) sameKey(ctx *pulumi.Context, name string) (pulumi.ResourceOption, error) {
	hook, err := ctx.RegisterResourceHook(name+"-key", func(hook *pulumi.ResourceHookArgs) error {
		before, after := hook.OldInputs["content"], hook.NewInputs["content"]
		if !before.IsString() || after.IsString() && before.StringValue() == after.StringValue() || after.IsComputed() ||
			after.IsOutput() {
			return nil
		}
		err := error(SigningKeyChanged())
		if args.Refused != nil {
			err = args.Refused(err)
		}
		return err
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, fmt.Errorf("registering the hook for changes of the signing key: %w", err)
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}}), nil
}

// TokensInvalid is the consequence of changing an existing cluster's signing key.
const TokensInvalid = "its operators could not use AWS with the tokens that they have, and no pod could reach the API server"

// SigningKeyChanged returns the fault for a change of an existing cluster's signing key.
func SigningKeyChanged() *fault.Fault {
	return &fault.Fault{
		Path:    "signingKey",
		Problem: "is not the key ([secret]) with which the existing cluster signs the tokens of its service accounts, but another one ([secret]): " + TokensInvalid,
		Remedy:  "restore the previous key",
	}
}
