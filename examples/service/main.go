// Command service creates, shows and deletes clusters for a team over HTTP on loopback. It writes no files of stacks:
// each cluster is a stack of typed config.
//
//	PUT    /clusters/{name}?domain=example.com&zones=us-east-1a,us-east-1b   creates or updates a cluster
//	GET    /clusters/{name}                                                  returns its outputs
//	DELETE /clusters/{name}                                                  deletes it
//
// PUT and DELETE return the progress as server-sent events. A request that its client ends interrupts the operation:
// what is in progress in AWS finishes, and the same request continues. A second operation on a cluster is refused while
// one is in progress.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

func main() {
	dir := flag.String("dir", "clusters", "the `folder` of the states")
	offline := flag.Bool("offline", false, "run with an AWS account in memory")
	address := flag.String("listen", "127.0.0.1:8080", "the `address` on loopback")
	flag.Parse()
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		log.Fatal(err)
	}
	project, err := automation.Open(automation.ProjectOptions{Dir: *dir, Offline: *offline})
	if err != nil {
		log.Fatal(err)
	}
	//nolint:gosec // loopback only, and progress is sent as long as an operation takes
	log.Fatal(http.ListenAndServe(*address, service{project}.handler()))
}
