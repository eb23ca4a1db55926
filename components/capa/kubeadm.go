package capa

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// KubeadmArgs customize the machines beyond what the cluster needs, with cloud-init and kubeadm. A change replaces the
// machines.
type KubeadmArgs struct {
	// Files are the files to write before the commands run. Default none.
	Files []File `yaml:"files" pulumi:"files,optional"`
	// PreCommands are shell commands that run before kubeadm. Default none.
	PreCommands []string `yaml:"preCommands" pulumi:"preCommands,optional"`
	// PostCommands are shell commands that run after kubeadm. Default none.
	PostCommands []string `yaml:"postCommands" pulumi:"postCommands,optional"`
	// KubeletArgs are arguments of the kubelet by name, without leading hyphens, such as "max-pods: 110". Default none.
	KubeletArgs map[string]string `yaml:"kubeletArgs" pulumi:"kubeletArgs,optional"`
	// Users are the users to create on the machines. Default: the image's.
	Users []User `yaml:"users" pulumi:"users,optional"`
	// NTPServers are the names or addresses of time servers. Default: the image's.
	NTPServers []string `yaml:"ntpServers" pulumi:"ntpServers,optional"`
	// Disks are the disks to format and mount. Default none.
	Disks []Disk `yaml:"disks" pulumi:"disks,optional"`
}

// File is a file on the machines. Exactly one of content and secret is required.
type File struct {
	// Path is the absolute path. Required.
	Path string `yaml:"path" pulumi:"path"`
	// Content is the text of the file, at most 10240 characters. Anyone who may read the cluster's objects can read it.
	Content string `yaml:"content" pulumi:"content,optional"`
	// Secret is the key of a Secret in the Cluster's namespace that has the content.
	Secret *SecretKey `yaml:"secret" pulumi:"secret,optional"`
	// Owner is the file's owner and group, such as root:root. Default root:root.
	Owner string `yaml:"owner" pulumi:"owner,optional"`
	// Permissions are the file's permissions in octal digits, such as "0640". Default "0644".
	Permissions string `yaml:"permissions" pulumi:"permissions,optional"`
	// Encoding is the encoding of the content: base64, gzip or gzip+base64. Default: plain text.
	Encoding string `yaml:"encoding" pulumi:"encoding,optional"`
	// Append adds the content to a file that the image has. Default false.
	Append bool `yaml:"append" pulumi:"append,optional"`
}

// SecretKey is a key of a Secret.
type SecretKey struct {
	// Name is the name of the Secret. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Key is the key in its data. Required.
	Key string `yaml:"key" pulumi:"key"`
}

// User is a user of the machines.
type User struct {
	// Name is the user's name. Required.
	Name string `yaml:"name" pulumi:"name"`
	// SSHKeys are the public keys with which the user may log in. Default none.
	SSHKeys []string `yaml:"sshKeys" pulumi:"sshKeys,optional"`
	// Sudo is the user's rule in sudoers, such as "ALL=(ALL) NOPASSWD:ALL". Default none.
	Sudo string `yaml:"sudo" pulumi:"sudo,optional"`
	// Groups are the names of further groups. Default none.
	Groups []string `yaml:"groups" pulumi:"groups,optional"`
	// Shell is the login shell. Default: the image's.
	Shell string `yaml:"shell" pulumi:"shell,optional"`
}

// Disk is a filesystem on a whole device, such as one of the machine's volumes.
type Disk struct {
	// Device is the device as the machine sees it, such as /dev/nvme1n1. Required.
	Device string `yaml:"device" pulumi:"device"`
	// Filesystem is the type of the filesystem: ext4 or xfs. Default ext4.
	Filesystem string `yaml:"filesystem" pulumi:"filesystem,optional"`
	// Label is the filesystem's label, by which it is mounted, at most 12 characters. Required.
	Label string `yaml:"label" pulumi:"label"`
	// MountPath is the absolute path at which it is mounted, such as /var/lib/etcd-data. Required.
	MountPath string `yaml:"mountPath" pulumi:"mountPath"`
}

func (k *KubeadmArgs) validate() error {
	var faults fault.Faults
	if k == nil {
		return nil
	}
	seen := map[string]int{}
	for i, file := range k.Files {
		path := fmt.Sprintf("files[%d]", i)
		faults.Join(path, file.validate())
		if first, twice := seen[file.Path]; twice {
			faults.Add(path+".path", file.Path, fmt.Sprintf("is already the path of files[%d]", first), "list each file once")
		}
		seen[file.Path] = i
	}
	for _, name := range slices.Sorted(maps.Keys(k.KubeletArgs)) {
		switch {
		case name == "" || strings.HasPrefix(name, "-"):
			faults.Add("kubeletArgs", name, "is not the name of an argument", "leave out the hyphens in front")
		case name == "cloud-provider":
			faults.Add("kubeletArgs."+name, k.KubeletArgs[name],
				"is always external: AWS's cloud controller manager is not part of the kubelet", "leave it out")
		case name == "node-labels" || name == "register-with-taints":
			faults.Add("kubeletArgs."+name, k.KubeletArgs[name], "has a key of its own", "use labels and taints of the pool")
		}
	}
	names := map[string]int{}
	for i, user := range k.Users {
		path := fmt.Sprintf("users[%d].name", i)
		if first, twice := names[user.Name]; twice {
			faults.Add(path, user.Name, fmt.Sprintf("is already the name of users[%d]", first), "list each user once")
		} else if user.Name == "" {
			faults.Add(path, nil, "is missing", "set the user's name")
		}
		names[user.Name] = i
	}
	labels := map[string]int{}
	for i, disk := range k.Disks {
		path := fmt.Sprintf("disks[%d]", i)
		faults.Join(path, disk.validate())
		if first, twice := labels[disk.Label]; twice {
			faults.Add(path+".label", disk.Label, fmt.Sprintf("is already the label of disks[%d]", first),
				"use a different label for each disk")
		}
		labels[disk.Label] = i
	}
	return faults.Err()
}

func (f *File) validate() error {
	var faults fault.Faults
	faults.Join("path", validateAbsolute(f.Path))
	switch {
	case f.Content == "" && f.Secret == nil:
		faults.Add("content", nil, "is missing", "set content, or secret")
	case f.Content != "" && f.Secret != nil:
		faults.Add("secret", f.Secret.Name, "conflicts with content", "leave one of them out")
	case len(f.Content) > 10240:
		faults.Add("content", nil, fmt.Sprintf("has %d characters, and Cluster API accepts 10240", len(f.Content)),
			"use a Secret, or download the file in preCommands")
	case f.Secret != nil && (f.Secret.Name == "" || f.Secret.Key == ""):
		faults.Add("secret", nil, "lacks its name or its key", "set both")
	}
	if !slices.Contains([]string{"", "base64", "gzip", "gzip+base64"}, f.Encoding) {
		faults.Add("encoding", f.Encoding, "is not an encoding", "use base64, gzip, or gzip+base64, or leave it out")
	}
	if strings.Trim(f.Permissions, "01234567") != "" || len(f.Permissions) > 4 {
		faults.Add("permissions", f.Permissions, "are not octal digits", `use some such as "0640"`)
	}
	return faults.Err()
}

func (d *Disk) validate() error {
	var faults fault.Faults
	faults.Join("device", validateAbsolute(d.Device))
	faults.Join("mountPath", validateAbsolute(d.MountPath))
	if !slices.Contains([]string{"", "ext4", "xfs"}, d.Filesystem) {
		faults.Add("filesystem", d.Filesystem, "is not a filesystem for a disk", "use ext4 or xfs")
	}
	if d.Label == "" || len(d.Label) > 12 {
		faults.Add("label", d.Label, "is not a label of a filesystem", "use 1 to 12 characters")
	}
	return faults.Err()
}

func validateAbsolute(path string) error {
	switch {
	case path == "":
		return &fault.Fault{Problem: "is missing", Remedy: "set an absolute path"}
	case !strings.HasPrefix(path, "/"):
		return &fault.Fault{Value: path, Problem: "is not an absolute path", Remedy: "begin it with a slash"}
	}
	return nil
}

// addTo adds the customization to the spec of a KubeadmConfig.
func (k *KubeadmArgs) addTo(spec map[string]any) {
	if k == nil {
		return
	}
	addList(spec, "files", k.Files, File.object)
	addList(spec, "preKubeadmCommands", k.PreCommands, toAny)
	addList(spec, "postKubeadmCommands", k.PostCommands, toAny)
	addList(spec, "users", k.Users, User.object)
	if len(k.NTPServers) > 0 {
		spec["ntp"] = map[string]any{"enabled": true, "servers": texts(k.NTPServers)}
	}
	if len(k.Disks) > 0 {
		filesystems := map[string]any{}
		addList(filesystems, "filesystems", k.Disks, Disk.object)
		spec["diskSetup"] = filesystems
		addList(spec, "mounts", k.Disks, func(d Disk) any { return []any{"LABEL=" + d.Label, d.MountPath} })
	}
}

// addList sets a field to the list of converted values, unless there are none: the schemas refuse empty lists.
func addList[T any](into map[string]any, field string, values []T, convert func(T) any) {
	var list []any
	for _, value := range values {
		list = append(list, convert(value))
	}
	if list != nil {
		into[field] = list
	}
}

func toAny(text string) any { return text }

// addTexts sets the fields whose texts are not empty.
func addTexts(into map[string]any, fields map[string]string) map[string]any {
	for field, text := range fields {
		if text != "" {
			into[field] = text
		}
	}
	return into
}

func (f File) object() any {
	o := addTexts(map[string]any{"path": f.Path}, map[string]string{
		"content": f.Content, "owner": f.Owner, "permissions": f.Permissions, "encoding": f.Encoding,
	})
	if f.Secret != nil {
		o["contentFrom"] = map[string]any{"secret": map[string]any{"name": f.Secret.Name, "key": f.Secret.Key}}
	}
	if f.Append {
		o["append"] = true
	}
	return o
}

func (u User) object() any {
	o := addTexts(map[string]any{"name": u.Name}, map[string]string{
		"sudo":   u.Sudo,
		"shell":  u.Shell,
		"groups": strings.Join(u.Groups, ", "),
	})
	addList(o, "sshAuthorizedKeys", u.SSHKeys, toAny)
	return o
}

func (d Disk) object() any {
	filesystem := d.Filesystem
	if filesystem == "" {
		filesystem = "ext4"
	}
	return map[string]any{"device": d.Device, "filesystem": filesystem, "label": d.Label}
}

// kubeletArgs returns the kubelet's arguments, including the labels, sorted by name.
func (k *KubeadmArgs) kubeletArgs(labels map[string]string) []any {
	args := map[string]string{"cloud-provider": "external"}
	if k != nil {
		maps.Copy(args, k.KubeletArgs)
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+"="+labels[key])
	}
	if len(pairs) > 0 {
		args["node-labels"] = strings.Join(pairs, ",")
	}
	var list []any
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, map[string]any{"name": name, "value": args[name]})
	}
	return list
}
