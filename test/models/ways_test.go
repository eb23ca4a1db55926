package models

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	runtimehost "github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// wayRow is an operation on a stack of the model, which comes to the same verdict in every way of running it.
type wayRow struct {
	name, stack string
	// prepare changes the world before the operation begins, and waiting while it waits for the answer to its question.
	// Where nobody is asked, waiting changes it between the preview and the update, or before the destroy.
	prepare, waiting func(*model)
	// destroy is true for a destroy, and flags are those of the CLI's: --cluster or --management-cluster-gone. Otherwise
	// it is an update.
	destroy bool
	flags   []string
	// gates matches the refusal by the gates that commands ask, and program that by a program that the engine runs without
	// them. Both are "" for an operation that nothing refuses.
	gates, program string
}

func (r wayRow) goes() bool { return r.gates == "" }

// way is a way of running an operation. It returns what the operation printed or its error, and whether it succeeded.
type way struct {
	name string
	// asks is true if the gates are asked that commands ask.
	asks bool
	run  func(*model, wayRow) (text string, succeeded bool)
	// destroys is true for a way that only destroys.
	destroys bool
}

func ways() []way {
	return []way{
		{name: "hypershift-aws", asks: true, run: (*model).byCommand},
		{name: "automation, with a Decide", asks: true, run: (*model).byDecision},
		{name: "pod", asks: true, run: (*model).byPod},
		{name: "pulumi", run: (*model).byEngine},
		{name: "Automation API", run: (*model).byInlineProgram},
		{name: "pulumi destroy without the program", run: (*model).byEngineAlone, destroys: true},
	}
}

func wayRows() []wayRow {
	exchange := func(m *model) { m.exchange() }
	edit := func(stack, before, after string) func(*model) {
		return func(m *model) { m.edit(stack, before, after) }
	}
	both := func(first, second func(*model)) func(*model) {
		return func(m *model) { first(m); second(m) }
	}
	tags := edit("staging", "team: platform", "team: network")
	page := func(m *model) { m.operators("green", offline.Operators{Unreachable: true, Failure: "page"}) }
	restricted := func(m *model) {
		m.operators("green", offline.Operators{Restricted: true})
		m.operators("blue", offline.Operators{Restricted: true})
	}
	const another = "another management cluster"
	const credentialsOf = "credentials of aws: are of account " + stackfile.OwnerAccount
	const account = `stack's\s+file\s+has\s+changed|` + credentialsOf
	credentials := edit("staging", "  aws:region: us-east-1\n",
		"  aws:region: us-east-1\n  aws:assumeRole: {roleArn: 'arn:aws:iam::"+stackfile.OwnerAccount+":role/creator'}\n")
	named := []string{"--cluster", "demo"}
	return []wayRow{
		{name: "update, nothing else changes", stack: "staging", prepare: tags},
		{
			name:    "update, the context selects another management cluster",
			stack:   "staging",
			prepare: both(tags, exchange),
			gates:   another,
			program: another,
		},
		{
			name:    "update, the context is switched while it waits",
			stack:   "staging",
			prepare: tags,
			waiting: exchange,
			gates:   another,
			program: another,
		},
		{name: "update, kube-system may not be read, and the context selects another management cluster", stack: "staging",
			prepare: both(tags, both(restricted, exchange)), gates: "UID of its object", program: "UID of its object"},
		{name: "update, a page answers instead of the API server", stack: "staging", prepare: both(tags, page),
			gates: "cannot be read", program: "could not be read"},
		{name: "update, the credentials are replaced by those of another account while it waits", stack: "staging",
			prepare: tags, waiting: credentials,
			gates: account, program: credentialsOf},
		{name: "update that removes a node pool", stack: "staging",
			prepare: edit("staging", "      pullSecret:", "      nodePools: [{name: other, zone: us-east-1a, replicas: 0}]\n      pullSecret:"),
			gates:   "node pool hosted-cluster-demo-us-east-1a would be deleted",
			program: "node pool hosted-cluster-demo-us-east-1a would be deleted"},
		{name: "update that removes the operator's namespace", stack: inheritedStack,
			prepare: edit(inheritedStack, "    kubeconfig: {context: blue}\n", ""),
			gates:   "namespace install-namespace would be deleted", program: "namespace install-namespace would be deleted"},
		{name: "update that removes the operator's identity", stack: inheritedStack,
			prepare: edit(inheritedStack, "AccessKeys",
				"InstanceRole, instanceRoleARN: \"arn:aws:iam::123456789012:role/nodes\""),
			gates:   "IAM user prerequisites-operator-ec2 would be deleted",
			program: "IAM user prerequisites-operator-ec2 would be deleted"},
		{name: "update that moves the network of a cluster that another tool applies", stack: "gitops",
			prepare: edit("gitops", "[us-east-1a]", "[{name: us-east-1b, slot: 1}]"), gates: "would be deleted",
			program: "would be deleted"},
		{name: "update, another key of etcd", stack: "staging",
			prepare: func(m *model) { m.writeEtcdKey("another key of thirty-two bytes!") },
			gates:   "hostedCluster.etcdKey", program: "hostedCluster.etcdKey"},
		{name: "destroy, its cluster is not named", stack: "staging", destroy: true,
			gates:   "--yes alone does not delete|deletes the cluster demo|needs a decision",
			program: "its management cluster has it"},
		{name: "destroy, the context selects another management cluster", stack: "staging", destroy: true, flags: named,
			prepare: exchange,
			gates:   another, program: another},
		{name: "destroy, the context is switched while it waits", stack: "staging", destroy: true, flags: named,
			waiting: exchange,
			gates:   another, program: another},
		{name: "destroy, the credentials are replaced by those of another account while it waits", stack: "staging", destroy: true, flags: named,
			waiting: credentials, gates: account, program: credentialsOf},
		{name: "destroy, kube-system may not be read, and the context selects another management cluster", stack: "staging", destroy: true, flags: named,
			prepare: both(restricted, exchange), gates: "UID of its object", program: "UID of its object"},
		{name: "destroy, a page answers instead of the API server that is said to be gone", stack: "staging", destroy: true,
			flags: append(slices.Clone(named), "--management-cluster-gone"), prepare: page, gates: "json parse error",
			program: "could not be read"},
		{name: "destroy, the cluster was restored elsewhere", stack: "staging", destroy: true, flags: named,
			prepare: func(m *model) {
				m.operators("green", offline.Operators{Killed: true})
				m.object(modelClusterOf("staging"), func(path string) { require.NoError(m.t, os.Remove(path)) })
			}, gates: "may be alive", program: "AWS could not be searched"},
		{name: "destroy of the network of a cluster that another tool applies", stack: "gitops", destroy: true,
			gates:   "is alive",
			program: "has no management cluster that could be asked"},
		{name: "destroy of that network, the cluster is alive again while it waits", stack: "gitops", destroy: true,
			prepare: func(m *model) { m.inAWS(modelClusterOf("gitops"), func(*store.Entry) bool { return false }) },
			waiting: func(m *model) { targetGroup("10.0.0.7")(m, modelClusterOf("gitops")) },
			gates:   "is alive", program: "has no management cluster that could be asked"},
	}
}

// verdicts are the cells of the table that TestEachWayOfRunningAStackComesToTheSameVerdict prints with -v.
type verdicts struct {
	sync.Mutex
	cells map[string]map[string]string
}

func (v *verdicts) add(row, way, verdict string) {
	v.Lock()
	defer v.Unlock()
	if v.cells[row] == nil {
		v.cells[row] = map[string]string{}
	}
	v.cells[row][way] = verdict
}

func (v *verdicts) String() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range wayRows() {
		for _, w := range ways() {
			if verdict := v.cells[row.name][w.name]; verdict != "" {
				fmt.Fprintf(table, "%s\t%s\t%s\n", row.name, w.name, verdict)
			}
		}
	}
	_ = table.Flush() // into memory
	return text.String()
}

// TestEachWayOfRunningAStackComesToTheSameVerdict runs each operation by each way. A refused operation changes nothing,
// in AWS and in the management clusters.
func TestEachWayOfRunningAStackComesToTheSameVerdict(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	found := &verdicts{cells: map[string]map[string]string{}}
	t.Cleanup(func() { t.Logf("\n%s", found) })
	for _, row := range sizes.Named(t, wayRows(), func(r wayRow) string { return r.name },
		"update, the context is switched while it waits", "destroy, the context is switched while it waits") {
		for _, w := range ways() {
			if w.destroys && !row.destroy {
				continue
			}
			t.Run(strings.ReplaceAll(row.name+"/"+w.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				m := newModel(t, dir)
				if row.prepare != nil {
					row.prepare(m)
					for stack := range m.holds {
						m.again(modelClusterOf(stack), "prepared")
					}
				}
				before := harness.MadeIDs(t, m.offlineDir())
				text, succeeded := w.run(m, row)
				m.log = append(m.log, fmt.Sprintf("%s: %t", w.name, succeeded))
				require.Equal(t, row.goes(), succeeded, text)
				after := harness.MadeIDs(t, m.offlineDir())
				for id := range before {
					require.True(t, after[id], "%s was deleted", id)
				}
				if row.goes() {
					found.add(row.name, w.name, "done")
					return
				}
				m.look(nil)
				by, says := "its program", row.program
				switch {
				case w.asks:
					by, says = "the gates", row.gates
				case w.destroys:
					by, says = "the engine", "Resource has delete hooks registered, but the program is not running"
				}
				require.Regexp(t, says, text)
				if row.waiting == nil { // which may add a resource
					require.Equal(t, before, after)
				}
				found.add(row.name, w.name, "refused by "+by+": "+regexp.MustCompile(says).FindString(text))
			})
		}
	}
}

// waits changes the world as it changes while an operation waits.
func (r wayRow) waits(m *model) {
	if r.waiting != nil {
		r.waiting(m)
		m.again(modelClusterOf(r.stack), "changed while the operation waits")
	}
}

// byCommand runs the CLI, at a terminal if it has to wait for an answer.
func (m *model) byCommand(r wayRow) (string, bool) {
	m.t.Helper()
	args := []string{"-s", r.stack, "up"}
	if r.destroy {
		args = append([]string{"-s", r.stack, "destroy"}, r.flags...)
	}
	if r.waiting == nil {
		_, stderr, code := m.Exit(append(append([]string{"--offline"}, args...), "--yes")...)
		return stderr, code == 0
	}
	asked := m.askAtTerminal("[y/N/details]", args...)
	defer asked.terminal.Close() //nolint:errcheck // it has been read
	r.waits(m)
	_, err := asked.terminal.WriteString("y\n")
	require.NoError(m.t, err)
	text := asked.rest()
	return text, asked.Wait() == nil
}

// byDecision runs the operation of a Go program that waits for a decision.
func (m *model) byDecision(r wayRow) (string, bool) {
	m.t.Helper()
	stack, decide := m.deciding(r.stack, func() { r.waits(m) })
	var err error
	if r.destroy {
		options := automation.DestroyOptions{
			Decide:                decide,
			ManagementClusterGone: slices.Contains(r.flags, "--management-cluster-gone"),
		}
		if slices.Contains(r.flags, "--cluster") {
			options.Cluster = modelClusterOf(r.stack).name
		}
		if len(r.flags) == 0 && !modelClusterOf(r.stack).tool {
			options.Decide = nil // a yes to the question for the name would name the cluster
		}
		_, err = stack.Destroy(m.t.Context(), options)
	} else {
		_, err = stack.Up(m.t.Context(), automation.UpOptions{Decide: decide})
	}
	var failed *failure.Error
	if errors.As(err, &failed) {
		return fmt.Sprint(err, failed.Reported), false
	}
	return fmt.Sprint(err), err == nil
}

// projectFor writes the model's project into a folder, with a program of a runtime.
func (m *model) projectFor(dir, runtime string) {
	m.t.Helper()
	files, err := os.ReadDir(m.Dir)
	require.NoError(m.t, err)
	for _, file := range files {
		if file.Type().IsRegular() {
			text, err := os.ReadFile(m.path(file.Name()))
			require.NoError(m.t, err)
			require.NoError(m.t, os.WriteFile(filepath.Join(dir, file.Name()), text, 0o600))
		}
	}
	require.NoError(m.t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"),
		[]byte("name: hypershift-aws\nruntime: "+runtime+"\n"), 0o600))
}

// withEngine calls run with the environment in which an engine reaches the model's accounts, clusters and states.
func (m *model) withEngine(run func(environ map[string]string)) {
	m.t.Helper()
	account, err := offline.Serve(offline.Options{Dir: m.offlineDir()})
	require.NoError(m.t, err)
	secrets, err := transit.Serve()
	require.NoError(m.t, err)
	environ := enginetest.Environment(filepath.Join(m.offlineDir(), "state"), account.Providers())
	for name, value := range secrets.Environ() {
		environ[name] = value
	}
	environ[podstack.PodAccount] = m.Dir
	run(environ)
	require.NoError(m.t, secrets.Close())
	require.NoError(m.t, account.Close())
}

// byEngine runs `pulumi up` or `pulumi destroy`, with the program of the project. What it previews before its question
// is a command of its own here.
func (m *model) byEngine(r wayRow) (string, bool) {
	m.t.Helper()
	if r.destroy {
		r.waits(m)
		return m.pulumi(r.stack, "destroy", "--yes", "--skip-preview", "--run-program")
	}
	if r.waiting != nil {
		text, succeeded := m.pulumi(r.stack, "preview")
		require.True(m.t, succeeded, text)
		r.waits(m)
	}
	return m.pulumi(r.stack, "up", "--yes", "--skip-preview")
}

// byEngineAlone runs `pulumi destroy`, which runs no program.
func (m *model) byEngineAlone(r wayRow) (string, bool) {
	m.t.Helper()
	r.waits(m)
	return m.pulumi(r.stack, "destroy", "--yes", "--skip-preview")
}

// pulumi runs the engine with the language host of the program.
func (m *model) pulumi(stack string, args ...string) (output string, succeeded bool) {
	m.t.Helper()
	dir := m.t.TempDir()
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	require.NoError(m.t, os.Mkdir(bin, 0o700))
	require.NoError(m.t, os.Symlink(harness.Executable(m.t), filepath.Join(bin, runtimehost.Executable)))
	require.NoError(m.t, engine.HomeWithoutLogs(home))
	m.projectFor(dir, runtimehost.Runtime)
	m.withEngine(func(environ map[string]string) {
		command := exec.Command(enginetest.EnginePath(m.t),
			append(args, "--stack", stack, "--non-interactive", "--color", "never")...)
		command.Dir = dir
		command.Env = append(os.Environ(), "PULUMI_HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		for name, value := range environ {
			command.Env = append(command.Env, name+"="+value)
		}
		// a pipe would be open for as long as a program runs that the engine has left behind
		path := filepath.Join(dir, "output")
		file, err := os.Create(path)
		require.NoError(m.t, err)
		command.Stdout, command.Stderr = file, file
		succeeded = command.Run() == nil
		require.NoError(m.t, file.Close())
		text, err := os.ReadFile(path)
		require.NoError(m.t, err)
		output = string(text)
	})
	return output, succeeded
}

// byInlineProgram runs the program inside of a process that calls Pulumi's Automation API.
func (m *model) byInlineProgram(r wayRow) (text string, succeeded bool) {
	m.t.Helper()
	dir := m.t.TempDir()
	home := filepath.Join(dir, "home")
	require.NoError(m.t, engine.HomeWithoutLogs(home))
	run := func(operate func(auto.Stack) error) error {
		var err error
		m.projectFor(dir, "go")
		m.withEngine(func(environ map[string]string) {
			made, failed := auto.NewLocalWorkspace(m.t.Context(), auto.Program(podstack.ProgramInPod(m.Dir, dir)),
				auto.WorkDir(dir), auto.PulumiHome(home),
				auto.Pulumi(enginetest.Engine(m.t)), auto.SecretsProvider(transit.Provider), auto.EnvVars(environ),
				auto.Project(workspace.Project{
					Name:    tokens.PackageName("hypershift-aws"),
					Runtime: workspace.NewProjectRuntimeInfo("go", nil),
				}))
			require.NoError(m.t, failed)
			stack, failed := auto.SelectStack(m.t.Context(), r.stack, made)
			require.NoError(m.t, failed)
			err = operate(stack)
		})
		return err
	}
	if r.waiting != nil && !r.destroy {
		require.NoError(m.t, run(func(s auto.Stack) error {
			_, err := s.Preview(m.t.Context(), optpreview.SuppressProgress())
			return err
		}))
	}
	r.waits(m)
	err := run(func(s auto.Stack) error {
		if r.destroy {
			_, err := s.Destroy(m.t.Context(), optdestroy.RunProgram(true), optdestroy.SuppressProgress())
			return err
		}
		_, err := s.Up(m.t.Context(), optup.SuppressProgress())
		return err
	})
	return fmt.Sprint(err), err == nil
}

// byPod has the operator's agent run the operation in a pod. Between an update and its preview, the operator asks
// nobody.
func (m *model) byPod(r wayRow) (text string, succeeded bool) {
	m.t.Helper()
	pod := &podstack.Stack{Stack: &harness.Stack{CLI: m.CLI, T: m.t}}
	operate := func(operation string) (text string, succeeded bool) {
		m.withEngine(func(environ map[string]string) {
			pod.Env = []string{podstack.InStack + "=" + r.stack}
			for name, value := range environ {
				pod.Env = append(pod.Env, name+"="+value)
			}
			pod.NewPod()
			m.projectFor(filepath.Join(pod.Pod, "project"), runtimehost.Runtime)
			stderr, code := pod.Operate(operation)
			text, succeeded = stderr, code == 0
		})
		return text, succeeded
	}
	if r.destroy {
		r.waits(m)
		return operate("destroy")
	}
	if r.waiting != nil {
		text, succeeded := operate("preview")
		require.True(m.t, succeeded, text)
		r.waits(m)
	}
	return operate("up")
}
