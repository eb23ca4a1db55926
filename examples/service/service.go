package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// service serves the clusters of a project.
type service struct{ project *automation.Project }

// handler returns the handler of the service's requests.
func (s service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /clusters/{name}", s.put)
	mux.HandleFunc("GET /clusters/{name}", s.get)
	mux.HandleFunc("DELETE /clusters/{name}", s.delete)
	return mux
}

// cluster returns what the file of a cluster's stack would contain.
func cluster(name, domain string, zones []string) config.Content {
	section := &config.Cluster{
		Cluster:    hypershift.Cluster{Name: name, InfraID: name + "-x1"},
		BaseDomain: domain,
		OIDC: config.OIDC{OIDCProviderArgs: iam.OIDCProviderArgs{
			BucketName: pulumi.String("clusters-oidc"), BucketRegion: pulumi.String("us-east-1"),
		}},
	}
	for _, zone := range zones {
		section.Network.Zones = append(section.Network.Zones, network.Zone{Name: zone})
	}
	return config.Content{Account: config.Account{Region: "us-east-1"}, Section: section}
}

func (s service) put(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	stack, err := s.project.NewStack(name, cluster(name, r.FormValue("domain"), strings.Split(r.FormValue("zones"), ",")))
	if err != nil { // each fault of the request, with its path and value
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	stream(w, stack, func(stack *automation.Stack) error {
		_, err := stack.Up(r.Context(), automation.UpOptions{Decide: automation.Approve})
		return err
	})
}

// delete needs no config: a stack can be deleted by its state.
func (s service) delete(w http.ResponseWriter, r *http.Request) {
	stream(w, s.project.Stack(r.PathValue("name")), func(stack *automation.Stack) error {
		_, err := stack.Destroy(r.Context(), automation.DestroyOptions{Decide: automation.Approve, RemoveState: true})
		return err
	})
}

func (s service) get(w http.ResponseWriter, r *http.Request) {
	outputs, err := s.project.Stack(r.PathValue("name")).Outputs(r.Context(), false)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(outputs)
}

// stream runs an operation, and sends what happens as events; the last one is "done" or "failed".
func stream(w http.ResponseWriter, stack *automation.Stack, run func(*automation.Stack) error) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind, text string) {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, strings.ReplaceAll(text, "\n", "\ndata: "))
		_ = http.NewResponseController(w).Flush()
	}
	last := "done"
	for event, err := range stack.Watch(run) {
		if err != nil {
			last = "failed"
			send("error", err.Error())
		} else if text, readable := event.(fmt.Stringer); readable {
			send("progress", text.String())
		}
	}
	send(last, stack.Name)
}
