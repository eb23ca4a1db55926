package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Folder is a folder of a fleet. Prefix is what the IDs of its stacks begin with, "" if it is the only one.
type Folder struct{ Dir, Prefix string }

// Folders finds the folders of a fleet; "." for none. A name with *, ? or [ is a pattern of folders with stack files.
func Folders(names []string) ([]Folder, error) {
	if len(names) == 0 {
		names = []string{"."}
	}
	var found []string
	for _, name := range names {
		dirs := []string{name}
		if strings.ContainsAny(name, "*?[") {
			matches, err := filepath.Glob(name)
			if err != nil {
				return nil, &failure.Error{
					Reason:  failure.Refused,
					Problem: fmt.Sprintf("-C %s is not a pattern: %s", name, err),
					Remedy:  "correct it",
					Cause:   err,
				}
			}
			dirs = slices.DeleteFunc(matches, func(dir string) bool {
				p, err := project.Open(dir)
				return err != nil || len(p.Stacks()) == 0
			})
			if len(dirs) == 0 {
				return nil, &failure.Error{Reason: failure.Refused,
					Problem: fmt.Sprintf("-C %s: no folder with stack files matches it", name),
					Remedy:  "use folders that have files Pulumi.<stack>.yaml"}
			}
		}
		for _, dir := range dirs {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, fmt.Errorf("finding the folder %s: %w", dir, err)
			}
			if !slices.Contains(found, abs) {
				found = append(found, abs)
			}
		}
	}
	if len(found) == 1 {
		return []Folder{{Dir: found[0]}}, nil
	}
	folders := make([]Folder, len(found))
	for i, dir := range found {
		folders[i] = Folder{dir, shortest(dir, found) + "/"}
	}
	return folders, nil
}

// Load reads the stacks that have files in folders, in the order of folders and names. Those whose files have faults
// are returned too, with the values that can be read, and their faults by their IDs.
func Load(folders []Folder) ([]fleetrun.Member, map[string]fault.Faults, error) {
	var members []fleetrun.Member
	faulty := map[string]fault.Faults{}
	for _, folder := range folders {
		p, err := project.Open(folder.Dir)
		if err != nil {
			return nil, nil, err
		}
		for _, stack := range p.Stacks() {
			m := fleetrun.Member{
				ID:      folder.Prefix + stack,
				Dir:     folder.Dir,
				Project: p.Name(),
				Stack:   stack,
				Path:    p.StackFile(stack),
			}
			text, err := atomicfile.ReadInput(m.Path)
			if err != nil {
				return nil, nil, fmt.Errorf("reading the config of stack %s: %w", stack, err)
			}
			m.Digest = fmt.Sprintf("%x", sha256.Sum256(text))
			file, err := p.LoadStack(stack)
			switch {
			case err != nil && fault.In(err) == nil:
				return nil, nil, err
			case err != nil:
				faulty[m.ID] = fault.In(err)
			default:
				describe(&m, file)
			}
			members = append(members, m)
		}
	}
	return members, faulty, nil
}

// shortest returns the end of a folder's path that no other folder has.
func shortest(dir string, dirs []string) string {
	parts := strings.Split(filepath.ToSlash(dir), "/")
	for n := 1; n < len(parts); n++ {
		end := strings.Join(parts[len(parts)-n:], "/")
		if !slices.ContainsFunc(dirs, func(other string) bool {
			return other != dir && strings.HasSuffix(filepath.ToSlash(other), "/"+end)
		}) {
			return end
		}
	}
	return filepath.ToSlash(dir)
}

// describe reads the values that the fleet needs from a file.
func describe(m *fleetrun.Member, file *config.File) {
	settings := file.ProviderSettings()
	m.Kind, m.Region, m.Kubernetes = string(file.Kind), file.Region, file.ManagementCluster() != nil
	m.Account, m.Tags = selectedAccount(settings[0].Values), defaultTags(settings[0].Values)
	m.VPCAccount = m.Account
	if referring := config.As[config.ReferringSection](file); referring != nil {
		m.Management, m.Parts = referring.ReferredStacks()
	}
	if tagged := config.As[config.TaggedSection](file); tagged != nil {
		maps.Copy(m.Tags, tagged.ResourceTags())
	} else if len(m.Tags) == 0 {
		m.Tags = nil // the tags of what the stack belongs to are not known
	}
	if vpc := config.As[config.VPCSection](file); vpc != nil {
		m.CIDRs = vpc.VPCCIDRs()
	}
	describeCluster(m, file)
	if c := config.As[*config.Cluster](file); c != nil {
		m.Issuer = issuerOf(c, m.Project)
		if c.Network.Shared != nil {
			m.VPCAccount = selectedAccount(settings[len(settings)-1].Values)
		}
	}
}

// describeCluster sets the cluster that a stack belongs to.
func describeCluster(m *fleetrun.Member, file *config.File) {
	of := config.IdentityOf(file.Section)
	if of.Relation == config.OwnsCluster {
		m.InfraID = cmp.Or(of.InfraID, of.Name)
	}
	if of.Object != crd.HostedCluster || of.Namespace == "" {
		return
	}
	object := hosted(file.ManagementCluster(), of.Namespace, of.Name)
	switch of.Relation {
	case config.OwnsCluster:
		m.HostedCluster, m.Hosts = of.Name, object
	case config.JoinsCluster:
		m.HostedCluster, m.PoolsOf = of.Name, object
	case config.PartOfCluster:
	}
}

// issuerOf describes the issuer of a cluster of a project, "" if another stack has it.
func issuerOf(c *config.Cluster, project string) string {
	switch {
	case input.IsSet(c.OIDC.BucketName):
		return "bucket " + input.Text(c.OIDC.BucketName)
	case input.IsSet(c.OIDC.IssuerURL):
		return input.Text(c.OIDC.IssuerURL)
	case c.Management != "":
		return "management stack " + c.Management + " of project " + project
	}
	return ""
}

// ByState returns a stack without a file in a folder as its state describes it. Its CIDRs, tags and issuer stay
// unknown: nil.
func ByState(in Folder, project, stack string, deployment *state.Deployment) fleetrun.Member {
	outputs := deployment.Outputs()
	m := fleetrun.Member{
		ID: in.Prefix + stack, Dir: in.Dir, Project: project, Stack: stack, Kind: outputs.String("kind"),
		Region: outputs.String("region"), Management: outputs.String("management"),
	}
	if named := kind.ByName(config.Kind(m.Kind)).Cluster; named != nil {
		m.InfraID = outputs.String(named.Output)
	}
	for _, key := range []string{"networkStack", "iamStack"} {
		if name := outputs.String(key); name != "" {
			m.Parts = append(m.Parts, name)
		}
	}
	for _, r := range deployment.Resources {
		switch {
		case string(r.Type) == "pulumi:providers:kubernetes":
			m.Kubernetes = true
		case string(r.Type) == "pulumi:providers:aws" && (m.Account == "" || strings.HasPrefix(r.URN.Name(), "default")):
			m.Account = selectedAccount(r.Inputs)
		}
	}
	m.VPCAccount = m.Account
	return m
}

// hosted identifies a HostedCluster in the management cluster of a kubeconfig, "" without one. Kubeconfigs are compared
// by their text, so that stacks that name the same management cluster in different ways are independent.
func hosted(k *config.Kubeconfig, namespace, name string) string {
	if k == nil {
		return ""
	}
	return strings.Join([]string{k.File, k.Context, namespace, name}, " ")
}

// profilePrefix precedes the name of a profile in place of an account.
const profilePrefix = "profile "

// selectedAccount returns the account that the settings of an AWS provider select: the twelve digits of the role that
// it assumes or of its allowedAccountIds, else "profile NAME", else "default credentials".
func selectedAccount(settings map[string]any) string {
	role := structured(settings["assumeRole"])
	if list, ok := role.([]any); ok && len(list) > 0 {
		role = list[len(list)-1]
	}
	if mapping, ok := role.(map[string]any); ok {
		arn, _ := mapping["roleArn"].(string)
		if parts := strings.Split(arn, ":"); len(parts) > 4 && parts[4] != "" {
			return parts[4]
		}
	}
	if list, ok := structured(settings["allowedAccountIds"]).([]any); ok && len(list) == 1 {
		return fmt.Sprint(list[0])
	}
	if profile, _ := settings["profile"].(string); profile != "" {
		return profilePrefix + profile
	}
	return "default credentials"
}

// structured returns a setting that may be given as JSON text.
func structured(value any) any {
	text, ok := value.(string)
	var parsed any
	if ok && json.Unmarshal([]byte(text), &parsed) == nil {
		return parsed
	}
	return value
}

func defaultTags(settings map[string]any) map[string]string {
	tags := map[string]string{}
	outer, _ := structured(settings["defaultTags"]).(map[string]any)
	inner, _ := outer["tags"].(map[string]any)
	for key, value := range inner {
		tags[key] = fmt.Sprint(value)
	}
	return tags
}
