package pack

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/atomicfile"
)

// Write writes a folder for `pulumi --policy-pack`: PulumiPolicy.yaml, and in bin/ a link to the program with the name that
// the engine searches for on PATH.
func Write(folder, program string) error {
	bin := filepath.Join(folder, "bin")
	if err := atomicfile.MakeDir(bin); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	text := "description: Policies for the AWS resources of HyperShift hosted clusters\nruntime: " + Name + "\nversion: 1.0.0\n"
	if err := atomicfile.Write(filepath.Join(folder, "PulumiPolicy.yaml"), []byte(text)); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	link := filepath.Join(bin, Executable)
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	if err := os.Symlink(program, link); err != nil {
		return fmt.Errorf("writing the policy pack: %w", err)
	}
	return nil
}

// Wanted reports whether the engine started a program to serve the pack, by the name of the link that Write creates.
func Wanted(program string) bool { return filepath.Base(program) == Executable }
