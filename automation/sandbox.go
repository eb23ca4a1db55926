package automation

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
)

// OfflineOptions configure ServeOffline.
type OfflineOptions struct {
	// Dir is the folder of the accounts and of the states. Default: a temporary folder, which Close removes.
	Dir string
	// Existing are resources that a new account has although no stack created them, each KIND=NAME, such as
	// "public-zone=example.com": ExistingKinds lists the kinds. Default none.
	Existing []string
	// Environ is the environment of the caller, as in os.Environ. Default: this process's environment.
	Environ []string
	// Executable and EngineDirs are as in ProjectOptions.
	Executable string
	EngineDirs []string
	// Log receives sentences about the accounts. Default: they are dropped.
	Log func(sentence string)
}

// Offline is an AWS account in memory for Pulumi programs that are not stacks of this project, such as a program that
// embeds components, and its test. The programs run in the real engine, without credentials and without a network.
// Close it.
type Offline struct{ account *sandbox.Account }

// ExistingKinds returns the kinds of OfflineOptions.Existing, in alphabetical order.
func ExistingKinds() []string { return sandbox.ExistingKinds() }

// ServeOffline serves an account to the engines that are started with the options or the environment of the result. It
// fails if there is no engine, or if Existing has another form.
func ServeOffline(ctx context.Context, o OfflineOptions) (_ *Offline, err error) {
	account, err := sandbox.ServeAccount(ctx, sandbox.AccountOptions(o))
	if err != nil {
		return nil, err
	}
	return &Offline{account}, nil
}

// Options returns the options with which the Automation API runs a program in the account:
//
//	stack, err := auto.UpsertStackInlineSource(ctx, "test", "project", program, account.Options()...)
func (o *Offline) Options() []auto.LocalWorkspaceOption { return o.account.Options() }

// Environ returns the environment for a command that runs a program, as in os.Environ: the caller's environment,
// without credentials and with the engine on PATH.
func (o *Offline) Environ() []string { return o.account.Environ() }

// Close stops serving the account.
func (o *Offline) Close() error { return o.account.Close() }
