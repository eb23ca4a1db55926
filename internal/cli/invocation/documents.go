package invocation

import (
	"fmt"
	"os"

	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// ReadDocuments reads the documents of HyperShift's CLI in the files of --infra-json and --iam-json; they are nil without the flags.
func ReadDocuments(infraFile, iamFile string) (*documents.Infra, *documents.IAM, error) {
	if infraFile == "" && iamFile == "" {
		return nil, nil, nil
	}
	if infraFile == "" || iamFile == "" {
		return nil, nil, Refuse("--infra-json and --iam-json must be used together")
	}
	infraText, err := os.ReadFile(infraFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading --infra-json: %w", err)
	}
	iamText, err := os.ReadFile(iamFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading --iam-json: %w", err)
	}
	infra, iam, err := documents.Read(infraText, iamText)
	if err != nil {
		return nil, nil, err
	}
	return &infra, &iam, nil
}
