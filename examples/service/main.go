// Command service creates, shows and deletes clusters for a team over HTTP on loopback, each as a stack in a folder:
//
//	PUT    /clusters/{name}?domain=example.com&zones=us-east-1a,us-east-1b   creates or updates a cluster
//	GET    /clusters/{name}          returns its operation and its outputs
//	GET    /clusters/{name}/events   returns the progress of its operation, as server-sent events
//	DELETE /clusters/{name}          deletes it
//
// A second operation on a cluster is refused with 409. A service that starts again continues the operations that had not succeeded.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

func main() {
	dir := flag.String("dir", "clusters", "the `folder` of the stacks")
	offline := flag.Bool("offline", false, "run with an AWS account in memory")
	address := flag.String("listen", "127.0.0.1:8080", "the `address` on loopback")
	flag.Parse()
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		log.Fatal(err)
	}
	s, err := open(automation.ProjectOptions{Dir: *dir, Offline: *offline})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*address, s)) //nolint:gosec // loopback only, and progress is sent as long as an operation takes
}
