package program

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Records is the environment variable of the folder in which each process of a script records what is checked after the
// last script: its JSON, and what is wrong with the commands that it suggested, each of which it also ran.
const Records = "HYPERSHIFT_AWS_TEST_RECORDS"

// JSONRecord is the extension of the files in which each process of a script records its JSON.
const JSONRecord = ".json"

// The extensions of what processes keep in the folder of records for themselves: the lock of a session's folder, and
// the kinds of messages whose advice was followed.
const (
	LockRecord     = ".lock"
	FollowedRecord = ".followed"
)

// Follow is the environment variable that is set where processes of a script run what their messages advise.
const Follow = "HYPERSHIFT_AWS_TEST_FOLLOW"

// FollowedList is the environment variable of a file to which tests add each message whose advice they followed.
const FollowedList = "HYPERSHIFT_AWS_TEST_FOLLOWED"

// StateAtEnd has the engine of the tests' CLI write the state once, at the end of an operation, if it is "true".
const StateAtEnd = "HYPERSHIFT_AWS_TEST_STATE_AT_END"

// WithoutGates in the environment are the gates that the tests' CLI does not ask.
const WithoutGates = "HYPERSHIFT_AWS_TEST_WITHOUT_GATES"

// JSONOutput is what a command line with -o json wrote to stdout.
type JSONOutput struct {
	Ran    []string `json:"ran"`
	Code   int      `json:"code"`
	Stdout string   `json:"stdout"`
}

// RecordJSON records the output of a command line that contains -o json.
func RecordJSON(folder string, args []string, code int, stdout []byte) error {
	if i := slices.Index(args, "-o"); i < 0 || i+1 == len(args) || args[i+1] != "json" ||
		strings.HasPrefix(args[0], "__") {
		return nil
	}
	content, err := json.Marshal(JSONOutput{args, code, string(stdout)})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, fmt.Sprint(os.Getpid())+JSONRecord), content, 0o600)
}
