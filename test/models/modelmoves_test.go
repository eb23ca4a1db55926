package models

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// ownerTag is the tag that says which stack has a resource.
const ownerTag = "hypershift-aws/stack"

// change is an edit of a stack's file.
type change struct{ before, after string }

// fileChanges are edits of the files of all clusters. Those that replace nothing take something away in place.
func fileChanges(token string) []change {
	return []change{
		{"us-east-1a", "us-east-1b"}, {"nat: Single", "nat: None"}, {"kmsKeyARN: none", "kmsKeyARN: " + token},
		{"4.19.0", "4.18.0"}, {"context: blue", "context: green"}, {"infraID: ", "infraID: new-"},
		{"topology: Public", "topology: Private"}, {"baseDomain: ", "baseDomain: other."},
		{"endpointAccess: PublicAndPrivate", "endpointAccess: Private"},
		{"      etcdKey: etcd.key\n", ""},
		{"    tags: {team: platform}\n", "    tags: {team: platform}\n    iam: {permissionsBoundary: 'arn:aws:iam::aws:policy/ReadOnlyAccess'}\n"},
		{"    topology: Public\n", "    topology: Public\n    securityGroups: {create: false}\n"},
		{"    topology: Public\n", "    topology: Public\n    cni: {rules: [{description: other, protocol: \"50\"}]}\n"},
		{"    topology: Public\n", "    topology: Public\n    iam: {existing: {controlPlane: other, nodes: other}}\n"},
	}
}

// managementChanges are edits of the file of the management stack.
func managementChanges() []change {
	return []change{
		{"    etcdKey: {alias: model}\n", ""}, {"hcp.example.com", "example.com"}, {"model-oidc", "other-oidc"},
		{"context: blue", "context: green"},
		{"oidcBucket: {name: model-oidc}", "oidcBucket: {name: model-oidc, access: ThroughCloudFront}"},
		{"operator: {identity: AccessKeys}", "operator: {identity: AccessKeys, namePrefix: other}"},
		{"operator: {identity: AccessKeys}", "operator: {identity: Roles, issuerURL: 'https://other.example.com'}"},
		{"aws:region: us-east-1", "aws:region: us-west-2"},
		{"", ""},
	}
}

// changeMore changes what others own: tags, the form of a state, Secrets, and the options of the project.
func (m *model) changeMore(c modelCluster, r *rand.Rand) {
	m.t.Helper()
	switch r.IntN(4) {
	case 0:
		m.compress(c.stack)
	case 1:
		m.tagAsForeign(c, []string{awstype.Role, awstype.Subnet, awstype.OIDCProvider, awstype.NATGateway}[r.IntN(4)])
	case 2:
		m.loseKeys(c)
	case 3:
		m.toggleRefreshAlways()
	}
}

// compress replaces a state by a compressed one, as Pulumi writes with PULUMI_DIY_BACKEND_GZIP.
func (m *model) compress(stack string) {
	m.t.Helper()
	plain := m.stateFile(stack)
	text, err := os.ReadFile(plain)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	require.NoError(m.t, err)
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	_, err = w.Write(text)
	require.NoError(m.t, errors.Join(err, w.Close()))
	require.NoError(m.t, os.WriteFile(plain+".gz", small.Bytes(), 0o600))
	require.NoError(m.t, os.Remove(plain))
	m.log = append(m.log, "the state of "+stack+" is compressed")
}

// stateText returns a stack's state, in whichever form it is.
func (m *model) stateText(stack string) ([]byte, error) {
	text, err := os.ReadFile(m.stateFile(stack))
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	small, err := os.Open(m.stateFile(stack) + ".gz")
	if err != nil {
		return nil, err
	}
	defer func() { _ = small.Close() }()
	r, err := gzip.NewReader(small)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// tagAsForeign gives resources of a cluster the tag of a stack in another backend.
func (m *model) tagAsForeign(c modelCluster, token string) {
	m.t.Helper()
	m.edited(func(rec *store.Entry) bool {
		tags, has := rec.State["tags"].(map[string]any)
		if rec.Type != token || !has || !strings.Contains(fmt.Sprint(rec.State), c.infraID) {
			return false
		}
		tags[ownerTag] = "elsewhere/" + c.stack
		return true
	})
	m.log = append(m.log, fmt.Sprintf("%s of %s has the tag of a stack elsewhere", token, c.stack))
}

// loseKeys deletes the Secrets with keys of a cluster. The cluster's content may come back, but no other.
func (m *model) loseKeys(c modelCluster) {
	m.t.Helper()
	folder := filepath.Join(m.offlineDir(), "clusters", m.folderOf(c.management), "clusters", "core.Secret")
	for _, key := range []string{"etcd-encryption-key", "ssh-key"} {
		file := filepath.Join(folder, "clusters%2F"+c.name+"-"+key+".json")
		if err := os.Remove(file); errors.Is(err, fs.ErrNotExist) {
			continue
		} else {
			require.NoError(m.t, err)
		}
		m.lost[c.management+" Secret clusters/"+c.name+"-"+key] = true
		m.log = append(m.log, "others delete "+c.name+"-"+key)
	}
}

// restored reports whether a Secret that others have deleted is missing, or has its former content again.
func (m *model) restored(key string, before, after any) bool {
	if !m.lost[key] {
		return false
	}
	data := func(object any) any {
		var of map[string]any
		text, _ := object.(string)
		_ = json.Unmarshal([]byte(text), &of)
		return fmt.Sprint(props.Map(of).Object("data"))
	}
	return after == nil || data(before) == data(after)
}

// toggleRefreshAlways sets or removes the option of Pulumi.yaml that lets the engine refresh in each update.
func (m *model) toggleRefreshAlways() {
	m.t.Helper()
	file := m.path("Pulumi.yaml")
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(m.t, err)
		m.log = append(m.log, "no Pulumi.yaml")
		return
	}
	const text = "name: hypershift-aws\nruntime: hypershift-aws\noptions: {refresh: always}\n"
	require.NoError(m.t, os.WriteFile(file, []byte(text), 0o600))
	m.log = append(m.log, "Pulumi.yaml has refresh: always")
}
