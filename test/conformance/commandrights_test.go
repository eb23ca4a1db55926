package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// auditUsers has the API server write each request of service accounts, and what they ask of their rights.
const auditUsers = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Request, userGroups: ["system:serviceaccounts"], resources: [{group: authorization.k8s.io}]}
- {level: Metadata, userGroups: ["system:serviceaccounts"]}
`

// right is a verb of a rule of the roles that `permissions --kubernetes` prints.
type right struct {
	// namespace is that of the Role, "" for the ClusterRole, and rule its position there.
	namespace string
	rule      int
	verb      string
	rights.Rule
}

func (r right) String() string {
	return strings.TrimSpace(r.verb + " " + r.Kind.Kind + " " + strings.Join(r.Names, "|") + " " + r.namespace)
}

// plural is the resource of the right's kind.
func (r right) plural() string {
	resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(r.Kind.APIVersion, r.Kind.Kind))
	return resource.Resource
}

// covers reports whether the right allows what a request does, or a review asks.
func (r right) covers(verb, plural, namespace, name string) bool {
	return r.verb == verb && r.plural() == plural && (r.namespace == "" || r.namespace == namespace) &&
		(len(r.Names) == 0 || slices.Contains(r.Names, name))
}

// rightsOf lists the single rights of a command.
func rightsOf(all rights.Rights) (list []right) {
	add := func(namespace string, rules rights.Rules) {
		for i, rule := range rules {
			for _, verb := range rule.Verbs {
				list = append(list, right{namespace, i, verb, rule})
			}
		}
	}
	add("", all.Anywhere)
	for _, namespace := range slices.Sorted(maps.Keys(all.Inside)) {
		add(namespace, all.Inside[namespace])
	}
	return list
}

// lacking returns rights without one.
func lacking(all rights.Rights, r right) rights.Rights {
	drop := func(rules rights.Rules) rights.Rules {
		rules = slices.Clone(rules)
		rules[r.rule].Verbs = slices.DeleteFunc(slices.Clone(rules[r.rule].Verbs), func(v string) bool { return v == r.verb })
		return slices.DeleteFunc(rules, func(rule rights.Rule) bool { return len(rule.Verbs) == 0 })
	}
	less := rights.Rights{Anywhere: all.Anywhere, Inside: maps.Clone(all.Inside)}
	if r.namespace == "" {
		less.Anywhere = drop(all.Anywhere)
	} else {
		less.Inside[r.namespace] = drop(all.Inside[r.namespace])
	}
	return less
}

// asked is a request of a user, or what the user asks of their rights.
type asked struct {
	verb, plural, namespace, name string
	// code is the answer's; dry is true for what changes nothing: reads, dry runs and questions.
	code int
	dry  bool
}

// trials is a stack with a hosted cluster on a real API server, whose commands run as users with few rights.
type trials struct {
	*realCluster
	dir, log string
	project  *automation.Project
	stack    *automation.Stack
	// deployed is true once the stack has resources, and changed if they are those of the changed file. allow is what its
	// updates may delete.
	deployed, changed bool
	allow             []string
	// lost is the folder that has a lost state instead of its home, "" if it is there; adopted is true if an adoption has
	// made another one.
	lost, home string
	adopted    bool
	// as is what the engine's provider writes as.
	as *apiserver.Server
	// said is what the last command said.
	mu    sync.Mutex
	said  strings.Builder
	users int
}

const trialUsers = "trials"

// trialKubeconfig stands for the path of the kubeconfig in a file.
const trialKubeconfig = "KUBECONFIG"

func newTrials(t *testing.T, text string, flags ...string) *trials {
	t.Helper()
	policy, log := filepath.Join(t.TempDir(), "policy.yaml"), filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(policy, []byte(auditUsers), 0o600))
	c := &trials{
		realCluster: startRealCluster(t, append(flags, "--audit-policy-file", policy, "--audit-log-path", log,
			"--enable-admission-plugins", "OwnerReferencesPermissionEnforcement")...), // as OpenShift has it
		dir: t.TempDir(), log: log,
	}
	c.send(http.MethodPost, "/api/v1/namespaces", object("v1", "Namespace", "", trialUsers, nil))
	c.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	c.configure(strings.ReplaceAll(text, trialKubeconfig, c.kubeconfig))
	admin := *c.Server
	c.as = &admin
	c.administrator()
	var err error
	c.project, err = automation.Open(automation.ProjectOptions{
		Dir: c.dir, Offline: true, EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
		Events: func(e automation.Event) {
			text, err := json.Marshal(e)
			c.mu.Lock()
			defer c.mu.Unlock()
			fmt.Fprintf(&c.said, "%s %v\n", text, err)
		},
	})
	require.NoError(t, err)
	automationtest.SetEnvironment(c.project, func(files *projects.Project) workspace.Environment {
		memory, err := sandbox.InMemory(environment.Options{Project: files, Environ: os.Environ()})
		require.NoError(t, err)
		return realClusters{memory, serveObjects(t, map[string]*apiserver.Server{c.kubeconfig: c.as})}
	})
	t.Cleanup(c.project.Close)
	c.stack = c.project.Stack("test")
	return c
}

func (c *trials) file() string { return filepath.Join(c.dir, "Pulumi.test.yaml") }

func (c *trials) configure(text string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(c.file(), []byte(text), 0o600))
}

// state is the pattern of the files of the stack's state.
func (c *trials) state() string {
	return filepath.Join(c.dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "*", "test.json*")
}

// move moves the files of a pattern to a folder.
func (c *trials) move(pattern, to string) {
	c.t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(c.t, err)
	require.NotEmpty(c.t, files, pattern)
	for _, file := range files {
		require.NoError(c.t, os.Rename(file, filepath.Join(to, filepath.Base(file))))
	}
}

// lose moves the state away, and find moves it back unless the stack has another one by now.
func (c *trials) lose() {
	c.t.Helper()
	files, err := filepath.Glob(c.state())
	require.NoError(c.t, err)
	require.NotEmpty(c.t, files)
	c.home, c.lost = filepath.Dir(files[0]), c.t.TempDir()
	c.move(c.state(), c.lost)
}

func (c *trials) find() {
	c.t.Helper()
	if c.lost == "" {
		return
	}
	if now, _ := filepath.Glob(c.state()); len(now) == 0 || !c.adopted {
		for _, file := range now {
			require.NoError(c.t, os.Remove(file))
		}
		c.move(filepath.Join(c.lost, "*"), c.home)
	}
	c.lost, c.adopted = "", false
}

// administrator lets the commands that follow run as one.
func (c *trials) administrator() {
	c.t.Helper()
	*c.as = *c.Server
	require.NoError(c.t, c.as.WriteKubeconfig(c.kubeconfig))
}

// user lets the commands that follow run as a new user with rights, and returns the user's name.
func (c *trials) user(all rights.Rights) string {
	c.t.Helper()
	c.users++
	name := fmt.Sprintf("user-%d", c.users)
	const accounts = "/api/v1/namespaces/" + trialUsers + "/serviceaccounts"
	c.send(http.MethodPost, accounts, object("v1", "ServiceAccount", trialUsers, name, nil))
	for _, role := range all.Roles(name) {
		c.send(http.MethodPost, installedPath(role), role)
		kind, namespace := role["kind"].(string), props.Map(role).Object("metadata").String("namespace")
		binding := object(rights.Group+"/v1", kind+"Binding", namespace, name, map[string]any{
			"roleRef":  map[string]any{"apiGroup": rights.Group, "kind": kind, "name": name},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": trialUsers, "name": name}},
		})
		c.send(http.MethodPost, installedPath(binding), binding)
	}
	token := c.send(http.MethodPost, accounts+"/"+name+"/token",
		object("authentication.k8s.io/v1", "TokenRequest", "", name, map[string]any{"spec": map[string]any{}}))
	*c.as = *c.As(token.Object("status").String("token"))
	require.NoError(c.t, c.as.WriteKubeconfig(c.kubeconfig))
	pod := podOf{realCluster: c.realCluster, as: c.as}
	for _, r := range rightsOf(all) { // the API server learns of roles a little later
		one := ""
		if len(r.Names) > 0 {
			one = r.Names[0]
		}
		kind := schema.FromAPIVersionAndKind(r.Kind.APIVersion, r.Kind.Kind)
		require.Eventually(c.t, func() bool { return pod.may(r.verb, kind, r.namespace, one) }, 10*time.Second,
			20*time.Millisecond, r.String())
	}
	return "system:serviceaccount:" + trialUsers + ":" + name
}

// requests returns what a user has asked while it ran its command, in order. The reviews that wait for its roles come
// before and are left out.
func (c *trials) requests(user string, since time.Time) (all []asked) {
	c.t.Helper()
	text, err := os.ReadFile(c.log)
	require.NoError(c.t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, user+`"`) {
			continue
		}
		var event struct {
			Verb, RequestURI         string
			User                     struct{ Username string }
			ObjectRef                struct{ Resource, Namespace, Name string }
			ResponseStatus           struct{ Code int }
			RequestReceivedTimestamp time.Time
			RequestObject            struct {
				Spec struct {
					ResourceAttributes struct{ Verb, Resource, Namespace, Name string }
				}
			}
		}
		require.NoError(c.t, json.Unmarshal([]byte(line), &event))
		if event.User.Username != user || event.RequestReceivedTimestamp.Before(since) {
			continue
		}
		one := asked{
			event.Verb, event.ObjectRef.Resource, event.ObjectRef.Namespace, event.ObjectRef.Name, event.ResponseStatus.Code,
			slices.Contains([]string{"get", "list", "watch"}, event.Verb) || strings.Contains(event.RequestURI, "dryRun=All"),
		}
		if one.plural == "selfsubjectrulesreviews" {
			continue
		}
		if one.plural == "selfsubjectaccessreviews" {
			of := event.RequestObject.Spec.ResourceAttributes
			one = asked{of.Verb, of.Resource, of.Namespace, of.Name, event.ResponseStatus.Code, true}
		}
		all = append(all, one)
	}
	return all
}

// content returns checksums of the account in memory, and of the state unless the command is one that writes no more
// than the state.
func (c *trials) content(command rights.Command) map[string]string {
	c.t.Helper()
	sums, folders := map[string]string{}, []string{"accounts"}
	if command != "refresh" && command != "adopt" {
		folders = append(folders, filepath.Join("state", ".pulumi", "stacks"))
	}
	for _, folder := range folders {
		root := filepath.Join(c.dir, ".hypershift-aws", "offline", folder)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(path)
			sums[path] = fmt.Sprintf("%x", sha256.Sum256(text))
			return err
		})
		require.NoError(c.t, err)
	}
	return sums
}

// outcome is what a command did for a user.
type outcome struct {
	err error
	// text is all that the command said, its error and its result included.
	text     string
	requests []asked
	// changed is true if state, account or objects have changed.
	changed bool
}

// run runs a command as a user with rights.
func (c *trials) run(command rights.Command, all rights.Rights) outcome {
	c.t.Helper()
	user := c.user(all)
	since, before := time.Now(), c.content(command)
	c.mu.Lock()
	c.said.Reset()
	c.mu.Unlock()
	result, err := c.command(command)
	c.mu.Lock()
	defer c.mu.Unlock()
	text, _ := json.Marshal(result)
	o := outcome{err: err, text: fmt.Sprintf("%v\n%s\n%s", err, c.said.String(), text), requests: c.requests(user, since)}
	o.changed = !maps.Equal(before, c.content(command)) || slices.ContainsFunc(o.requests, func(a asked) bool {
		return !a.dry && a.code < http.StatusBadRequest
	})
	return o
}

// command runs a command of the CLI.
func (c *trials) command(command rights.Command) (result any, err error) {
	ctx := c.t.Context()
	switch command {
	case "preview":
		return c.stack.Preview(ctx, automation.PreviewOptions{})
	case "up":
		return c.stack.Up(ctx, automation.UpOptions{Decide: automation.Approve, Allow: c.allow})
	case "destroy":
		return c.stack.Destroy(ctx, automation.DestroyOptions{Decide: automation.Approve, Cluster: "demo"})
	case "refresh":
		return c.stack.Refresh(ctx, automation.RefreshOptions{})
	case "drift":
		return c.stack.Drift(ctx)
	case "status":
		return c.stack.Status(ctx)
	case "diagnose":
		return c.stack.Diagnose(ctx)
	case "kubeconfig", "console":
		return c.stack.ClusterAccess(ctx)
	case "pause":
		return c.stack.Pause(ctx, automation.UpOptions{Decide: automation.Approve})
	case "resume":
		return c.stack.Resume(ctx, automation.UpOptions{Decide: automation.Approve})
	case "backup":
		c.users++ // the name of a backup
		return c.stack.Backup(ctx, automation.BackupOptions{Options: backup.Options{Name: fmt.Sprintf("backup-%d", c.users)}})
	case "adopt":
		return c.stack.Adopt(ctx, automation.AdoptOptions{Decide: automation.Approve})
	}
	return nil, fmt.Errorf("no command %s", command)
}

// names reports whether the command named a right that its user lacked.
func (o outcome) names(r right) bool {
	for _, words := range []string{
		r.verb + " objects of kind " + r.Kind.Kind, r.verb + " " + r.Kind.Kind + " ",
		fmt.Sprintf("cannot %s resource %q", r.verb, r.plural()),
		fmt.Sprintf("cannot %s resource \\\"%s\\\"", r.verb, r.plural()),
	} {
		if strings.Contains(o.text, words) {
			return true
		}
	}
	return false
}

// refused returns the requests of a command that the API server refused by the user's roles.
func (o outcome) refused() (list []asked) {
	for _, a := range o.requests {
		if a.code == http.StatusForbidden {
			list = append(list, a)
		}
	}
	return list
}

// failed reports whether a command failed by more than by what it found.
func (o outcome) failed() bool {
	var f *failure.Error
	if errors.As(o.err, &f) && f.Reason == failure.Failed && strings.Contains(f.Error(), "finding") {
		return false
	}
	return o.err != nil
}

// trial is a command that runs as users with few rights.
type trial struct {
	name    string
	command rights.Command
	// deployed is false if nothing is there yet; changes is true if the command finds the changed file.
	deployed, changes bool
	// refuses are the rights without which the command must fail before it changes anything. Of what it reads, each right
	// is tried if reads is set: without it the command fails, or says what it does without.
	refuses string
	reads   bool
}

// kindOfTrials is a stack of a kind, and what its users try.
type kindOfTrials struct {
	// text is the stack's file, and after has pairs of texts that change it.
	text  string
	after []string
	// allow and back are what the change, and the way back, may delete: "" for nothing.
	allow, back string
	// install prepares the management cluster. deployed and destroyed, if there are any, do what operators do after an up
	// and after a destroy.
	install, deployed, destroyed func(*trials)
	trials                       []trial
}

// each returns verbs on kinds, as a trial lists them.
func each(verbs []string, kinds ...string) string {
	var list []string
	for _, kind := range kinds {
		for _, verb := range verbs {
			list = append(list, verb+" "+kind)
		}
	}
	return strings.Join(list, ", ")
}

func kindsOfTrials(t *testing.T) map[string]kindOfTrials {
	t.Helper()
	const kubeconfig = "{file: " + trialKubeconfig + "}"
	creates, deletes := []string{"create", "patch"}, []string{"delete"}
	hosted := stackfile.Cluster{
		Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
		More: stackfile.HostedCluster(t, "      labels: {step: one}\n"+
			"      nodePools: [{name: a, replicas: 1, zone: us-east-1a}, {name: b, replicas: 1, zone: us-east-1a}]\n"),
	}.String()
	hosted = strings.Replace(hosted, "{context: management}", kubeconfig, 1)
	hypershifts := func(c *trials) { c.install(`"4.20","4.19"`) }
	ofCluster := []string{"HostedCluster", "NodePool", "Secret"}
	ofManagement := []string{"Secret", "ConfigMap"}
	ofCAPA := []string{"Cluster", "AWSCluster", "KubeadmControlPlane", "AWSMachineTemplate"}
	return map[string]kindOfTrials{
		"cluster": {
			text: hosted,
			after: []string{"{step: one}", "{step: two}",
				"{name: b, replicas: 1, zone: us-east-1a}", "{name: c, replicas: 1, zone: us-east-1a}"},
			allow: "hosted-cluster-b", back: "hosted-cluster-c",
			install: hypershifts, deployed: (*trials).written,
			trials: []trial{
				{"preview of a creation", "preview", false, false, each(creates, ofCluster...), false},
				{"creation", "up", false, false, each(creates, ofCluster...), false},
				{"preview of a change", "preview", true, true, "patch HostedCluster, create NodePool, delete NodePool", true},
				{"change", "up", true, true, "patch HostedCluster, create NodePool, delete NodePool", false},
				{"refresh", "refresh", true, false, "", true},
				{"drift", "drift", true, false, "", true},
				{"status", "status", true, false, "", true},
				{"diagnose", "diagnose", true, false, "", false},
				{"kubeconfig", "kubeconfig", true, false, "", true},
				{"console", "console", true, false, "", false},
				{"pause", "pause", true, false, "patch NodePool", false},
				{"resume", "resume", true, false, "patch NodePool", false},
				{"backup", "backup", true, false, each(creates, "Backup"), false},
				{"adoption", "adopt", true, false, "", false},
				{"destroy", "destroy", true, false, each(deletes, ofCluster...), false},
			},
		},
		"nodePools": {
			text: strings.Replace(stackfile.NodePools("    objects: [{name: tuning, text: {a: b}}]\n    nodePools: [{name: x, replicas: 1}, {name: y, replicas: 1}]\n"),
				"{context: management}", kubeconfig, 1),
			after: []string{"{name: x, replicas: 1}", "{name: x, replicas: 2}", "{name: y, replicas: 1}",
				"{name: z, replicas: 1}"},
			allow: "node-pools-y", back: "node-pools-z",
			install: func(c *trials) {
				hypershifts(c)
				c.namespaces("clusters")
				path := filepath.Join(c.dir, "Pulumi.owner.yaml")
				require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(hosted, trialKubeconfig, c.kubeconfig)), 0o600))
				_, err := c.project.Stack("owner").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
				require.NoError(t, err)
			},
			trials: []trial{
				{"creation", "up", false, false, each(creates, "NodePool", "ConfigMap"), false},
				{"preview of a change", "preview", true, true, "patch NodePool, create NodePool, delete NodePool", true},
				{"change", "up", true, true, "patch NodePool, create NodePool, delete NodePool", false},
				{"refresh", "refresh", true, false, "", true},
				{"drift", "drift", true, false, "", true},
				{"status", "status", true, false, "", true},
				{"diagnose", "diagnose", true, false, "", false},
				{"pause", "pause", true, false, "patch NodePool", false},
				{"resume", "resume", true, false, "patch NodePool", false},
				{"adoption", "adopt", true, false, "", true},
				{"destroy", "destroy", true, false, each(deletes, "NodePool", "ConfigMap"), false},
			},
		},
		// its adoption ends at the Secrets, whose access keys AWS does not return: adopt overwrites none
		"management": {
			text: strings.Replace(stackfile.InNamespaceOfOthers(stackfile.Management(stackfile.Managements()["kubernetes"])),
				"{file: /etc/management/kubeconfig, context: management}", kubeconfig, 1),
			after: []string{"{name: demo-oidc}", "{name: other-oidc}"},
			allow: "prerequisites-oidc-bucket", back: "prerequisites-oidc-bucket",
			install: func(c *trials) {
				c.define(definitionIn(t, "hostedclusters.json"), definitionIn(t, "nodepools.json"))
			},
			trials: []trial{
				{"creation", "up", false, false, each(creates, ofManagement...), false},
				{"preview of a change", "preview", true, true, "patch ConfigMap", true},
				{"change", "up", true, true, "patch ConfigMap", false},
				{"refresh", "refresh", true, false, "", true},
				{"drift", "drift", true, false, "", true},
				{"status", "status", true, false, "", true},
				{"diagnose", "diagnose", true, false, "", false},
				{"destroy", "destroy", true, false, each(deletes, ofManagement...), false},
			},
		},
		"capa": {
			text:    strings.Replace(stackfile.Example(t, "capa-private"), "kubeconfig: {}", "kubeconfig: "+kubeconfig, 1),
			after:   []string{"    topology: Private\n", "    topology: Private\n    tags: {team: network}\n"},
			install: func(c *trials) { c.define(capaDefinitions(t)...) },
			// a stack leaves templates, which Kubernetes deletes with the cluster
			destroyed: func(c *trials) {
				for _, kind := range capacrd.Set.Kinds() {
					if strings.HasSuffix(kind.Kind, "Template") {
						c.send(http.MethodDelete, installedPath(object(kind.APIVersion, kind.Kind, "default", "", nil)), nil)
					}
				}
			},
			trials: []trial{
				{"creation", "up", false, false, each(creates, ofCAPA...), false},
				{"preview of a change", "preview", true, true, "patch AWSCluster", true},
				{"change", "up", true, true, "patch AWSCluster", false},
				{"refresh", "refresh", true, false, "", true},
				{"drift", "drift", true, false, "", true},
				{"status", "status", true, false, "", true},
				{"diagnose", "diagnose", true, false, "", false},
				{"adoption", "adopt", true, false, "", false},
				{"destroy", "destroy", true, false, each(deletes, ofCAPA...), false},
			},
		},
	}
}

// TestEachCommandNeedsTheRightsThatAreDocumentedOnARealAPIServer runs each command on stacks of each kind that uses a
// management cluster, as a user with exactly the roles that `permissions --kubernetes` prints for it: nothing is
// refused. Then it runs the command without each single right that it has used or asked for: the command must name the
// right, before it changes anything.
func TestEachCommandNeedsTheRightsThatAreDocumentedOnARealAPIServer(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the roles of users by a real API server, which make conformance builds and starts")
	}
	all := kindsOfTrials(t)
	for _, name := range stacks.Kinds().Names() {
		if _, tried := all[string(name)]; !tried {
			require.Contains(t, []config.Kind{config.KindNetwork, config.KindIAM}, name, "uses a management cluster")
		}
	}
	for name, kind := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTrials(t, kind.text)
			kind.install(c)
			file, err := stacks.LoadFile(c.dir, "test")
			require.NoError(t, err)
			c.namespaces(rights.Of(file.Section).Namespaces...)
			text, err := os.ReadFile(c.file())
			require.NoError(t, err)
			before := string(text)
			after := strings.NewReplacer(kind.after...).Replace(before)
			require.NotEqual(t, before, after)
			for _, one := range kind.trials {
				c.try(kind, one, file.Section, before, after)
			}
		})
	}
}

// namespaces creates namespaces that do not exist.
func (c *trials) namespaces(names ...string) {
	c.t.Helper()
	for _, name := range names {
		code, text, err := c.Try(http.MethodPost, "/api/v1/namespaces", "application/json",
			object("v1", "Namespace", "", name, nil))
		require.NoError(c.t, err)
		require.Contains(c.t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", text)
	}
}

// prepare brings the stack to where a trial begins.
func (c *trials) prepare(kind kindOfTrials, of trial, before, after string) {
	c.t.Helper()
	c.administrator()
	c.find()
	if !c.deployed && kind.destroyed != nil {
		kind.destroyed(c)
	}
	switch {
	case of.deployed:
		c.configure(before)
		allow := []string{kind.back}
		if !c.changed || kind.back == "" {
			allow = nil
		}
		_, err := c.stack.Up(c.t.Context(), automation.UpOptions{Decide: automation.Approve, Allow: allow})
		require.NoError(c.t, err)
		if kind.deployed != nil {
			kind.deployed(c)
		}
	case c.deployed:
		_, err := c.stack.Destroy(c.t.Context(), automation.DestroyOptions{Decide: automation.Approve, Cluster: "demo"})
		require.NoError(c.t, err)
		if kind.destroyed != nil {
			kind.destroyed(c)
		}
	}
	c.deployed, c.changed, c.allow = of.deployed, false, nil
	if of.command == "resume" {
		_, err := c.stack.Pause(c.t.Context(), automation.UpOptions{Decide: automation.Approve})
		require.NoError(c.t, err)
		return
	}
	if of.command == "adopt" {
		c.lose()
	}
	if !of.changes {
		c.configure(before)
		return
	}
	c.configure(after)
	if of.command == "up" && kind.allow != "" {
		c.allow = []string{kind.allow}
	}
}

// ended keeps where a command that has changed something left the stack.
func (c *trials) ended(of trial) {
	c.deployed = of.command != "destroy"
	c.adopted = of.command == "adopt"
	c.changed = of.changes && of.command == "up"
}

// try runs a command with all rights that it needs, and without each of them.
func (c *trials) try(kind kindOfTrials, of trial, section config.Section, before, after string) {
	t := c.t
	t.Helper()
	prepare := func() { c.prepare(kind, of, before, after) }
	prepare()
	all := rights.For(section, of.command)
	start := time.Now()
	whole := c.run(of.command, all)
	t.Logf("%s: %d requests, %s", of.name, len(whole.requests), time.Since(start).Round(100*time.Millisecond))
	if whole.failed() || len(whole.refused()) > 0 || strings.Contains(whole.text, "may not") {
		t.Errorf("%s with the documented roles: %v; refused %v\n%s", of.name, whole.err, whole.refused(), whole.text)
		return
	}
	if whole.changed {
		c.ended(of)
		prepare()
	}
	refuses, tried := strings.Split(of.refuses, ", "), 0
	for _, r := range rightsOf(all) {
		reads := slices.Contains([]string{"get", "list", "watch"}, r.verb)
		which := slices.Index(refuses, r.verb+" "+r.Kind.Kind)
		one := r.verb == "get" || r.verb == "list" && !slices.Contains(r.Verbs, "get") // the same warning names all
		if tries := reads && one && of.reads; which < 0 && !tries {
			continue
		}
		if which >= 0 {
			refuses = slices.Delete(refuses, which, which+1)
		}
		tried++
		less := c.run(of.command, lacking(all, r))
		switch {
		case less.changed && (less.failed() || !reads):
			t.Errorf("%s without %s changed something: %v", of.name, r, less.err)
		case !reads && !less.failed() && of.command != "preview": // it shows what up would refuse
			t.Errorf("%s without %s does not fail", of.name, r)
		case !less.names(r) && !covered(all, r):
			t.Errorf("%s without %s does not name it: %v; refused %v\n%s", of.name, r, less.err, less.refused(), less.text)
		}
		if less.changed {
			c.ended(of)
			prepare()
		}
	}
	if of.refuses != "" && len(refuses) > 0 {
		t.Errorf("%s: not tried: %v", of.name, refuses)
	}
	t.Logf("  %d of %d rights tried", tried, len(rightsOf(all)))
}

// covered reports whether another rule gives the right.
func covered(all rights.Rights, r right) bool {
	return slices.ContainsFunc(rightsOf(all), func(other right) bool {
		return other.String() != r.String() && slices.ContainsFunc(append(r.Names, ""), func(name string) bool {
			return other.covers(r.verb, r.plural(), r.namespace, name)
		})
	})
}

// written writes what HyperShift's operator writes for the cluster's administrators.
func (c *trials) written() {
	c.t.Helper()
	const clusters = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo"
	c.send(http.MethodPatch, clusters+"/status", map[string]any{"status": map[string]any{
		"kubeconfig":        map[string]any{"name": "demo-admin-kubeconfig"},
		"kubeadminPassword": map[string]any{"name": "demo-kubeadmin-password"},
	}})
	owner := map[string]any{
		"apiVersion": crd.APIVersion, "kind": crd.HostedCluster, "name": "demo", "blockOwnerDeletion": true,
		"uid": c.send(http.MethodGet, clusters, nil).Object("metadata").String("uid"),
	}
	const pools = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
	for _, pool := range c.send(http.MethodGet, pools, nil).Objects("items") {
		c.send(http.MethodPatch, pools+"/"+pool.Object("metadata").String("name"),
			map[string]any{"metadata": map[string]any{"ownerReferences": []any{owner}}})
	}
	for name, key := range map[string]string{
		"demo-admin-kubeconfig":   "kubeconfig",
		"demo-kubeadmin-password": "password",
	} {
		code, text, err := c.Try(http.MethodPost, "/api/v1/namespaces/clusters/secrets", "application/json",
			object("v1", "Secret", "clusters", name, map[string]any{"stringData": map[string]any{key: "content"}}))
		require.NoError(c.t, err)
		require.Contains(c.t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", text)
	}
}
