package kubelet

import (
	"encoding/json"
	"fmt"
	"os"
)

// inSandbox in the environment makes a process the first one of a container: the value is its sandbox as JSON.
const inSandbox = "HYPERSHIFT_AWS_TEST_SANDBOX"

// sandbox is what a container's process sees of the machine.
type sandbox struct {
	// Root is the folder that becomes the root. It has a file or folder for each target of Mounts.
	Root   string
	Mounts []mount
	// Hostname is that of the pod.
	Hostname string
	// Dir is the working directory, Args the program with its arguments, Env its environment.
	Dir       string
	Args, Env []string
}

// mount shows a file or folder of the machine in a container.
type mount struct {
	Source, Target string
	Writable       bool
}

// Main becomes the program of a container, if this process was started as its first one. A test's TestMain calls it
// first.
func Main() {
	text := os.Getenv(inSandbox)
	if text == "" {
		return
	}
	var s sandbox
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		err = s.become()
	}
	fmt.Fprintln(os.Stderr, "starting the container:", err)
	os.Exit(125)
}
