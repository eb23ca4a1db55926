package script

import (
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// kubectl changes a field of an object in the offline management cluster with the context "management", in namespace
// clusters:
//
//	kubectl scale nodepool NAME REPLICAS
//	kubectl edit KIND NAME PATH VALUE
//	kubectl operate KIND NAME PATH VALUE
//	kubectl get KIND NAME PATH VALUE
//	kubectl made KIND NAME MANAGER
//
// edit writes a value in JSON as manager kubectl-edit, operate as HyperShift's operator does, and get fails if the
// field has another one; null is no value. made makes another client the one that has created the object. The program
// of tests does it: a package with sessions links no Kubernetes. stdout and stderr stay those of the last command.
func kubectl(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("kubectl cannot be negated")
	}
	command := exec.Command(programOf(ts, program.Kubectl), args...)
	command.Dir = ts.MkAbs(".")
	if output, err := command.CombinedOutput(); err != nil {
		ts.Fatalf("kubectl: %v\n%s", err, output)
	}
}
