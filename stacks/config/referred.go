package config

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// ReferredObject is a ConfigMap or Secret that the HostedCluster or a NodePool refers to by its name. Each of its keys
// is in one of files, env and text.
type ReferredObject struct {
	// Name is the name of the object. Required.
	Name string `yaml:"name" pulumi:"name"`
	// Kind is ConfigMap or Secret. Default ConfigMap.
	Kind hostedcluster.ReferredKind `yaml:"kind" pulumi:"kind,optional"`
	// Files maps keys of the object to the paths of files with their contents: relative to the stack's file, absolute, or
	// beginning with ~/. Default none.
	Files map[string]string `yaml:"files" pulumi:"files,optional"`
	// Env maps keys of the object to the names of environment variables with their contents. Default none.
	Env map[string]string `yaml:"env" pulumi:"env,optional"`
	// Text maps keys of a ConfigMap to their contents. A program may also give it for a Secret, whose contents are secrets
	// in the stack's state. Default none.
	Text map[string]pulumi.StringInput `yaml:"text" pulumi:"text,optional"`

	// revealed is true if a program has given the contents of a Secret in Text.
	revealed bool
}

// reveal sets the contents that texts of the object stand for.
func (o *ReferredObject) reveal(secrets Secrets) {
	for key, text := range o.Text {
		if secret, found := secrets[input.Text(text)]; found {
			o.Text[key], o.revealed = pulumi.String(secret), true
		}
	}
}

func (o *ReferredObject) isSecret() bool { return o.Kind.OrDefault() == hostedcluster.SecretKind }

// source is where the content of a key of an object comes from: a key of the config, such as "files[config]".
type source struct{ path, key string }

// sources returns the sources of the object's contents, ordered.
func (o *ReferredObject) sources() []source {
	var sources []source
	for _, key := range slices.Sorted(maps.Keys(o.Files)) {
		sources = append(sources, source{"files[" + key + "]", key})
	}
	for _, key := range slices.Sorted(maps.Keys(o.Env)) {
		sources = append(sources, source{"env[" + key + "]", key})
	}
	for _, key := range slices.Sorted(maps.Keys(o.Text)) {
		sources = append(sources, source{"text[" + key + "]", key})
	}
	return sources
}

// validate returns the faults of the sources. The files of a ConfigMap are read, and the contents of a Secret are not.
func (o *ReferredObject) validate(dir string) error {
	var faults fault.Faults
	first := map[string]string{}
	for _, s := range o.sources() {
		if other, twice := first[s.key]; twice {
			faults.Add(s.path, nil, "conflicts with "+other, "set only one of the two")
		}
		first[s.key] = s.path
	}
	for _, key := range slices.Sorted(maps.Keys(o.Text)) {
		if text, plain := input.Plain(o.Text[key]); plain && o.isSecret() && !o.revealed && text != "" {
			faults.Add("text["+key+"]", nil, "is a secret in the stack's file", "use files or env")
		}
	}
	if !o.isSecret() {
		_, err := o.read(dir)
		faults.Join("", err)
	}
	return faults.Err()
}

// read reads the contents of the object, by their keys. It returns a fault for each that is missing or empty.
func (o *ReferredObject) read(dir string) (map[string]pulumi.StringInput, error) {
	var faults fault.Faults
	data := map[string]pulumi.StringInput{}
	for key, name := range o.Files {
		text, err := readFile(dir, name)
		faults.Join("files["+key+"]", err)
		data[key] = pulumi.String(text)
	}
	for key, name := range o.Env {
		text := os.Getenv(name)
		if text == "" {
			faults.Add("env["+key+"]", name, "is not set in the environment", "set it, or use files")
		}
		data[key] = pulumi.String(text)
	}
	maps.Copy(data, o.Text)
	return data, faults.Err()
}

// referred returns the objects for the component, with placeholders for the contents of Secrets. Contents that cannot
// be read are faults of validate.
func (h *HostedCluster) referred() []hostedcluster.Referred {
	var all []hostedcluster.Referred
	for i := range h.Objects {
		o := &h.Objects[i]
		data := map[string]pulumi.StringInput{}
		if o.isSecret() {
			for _, s := range o.sources() {
				data[s.key] = placeholder.ToStringOutput()
			}
		} else {
			data, _ = o.read(h.dir)
		}
		all = append(all, hostedcluster.Referred{Name: o.Name, Kind: o.Kind, Data: data})
	}
	return all
}

// SetSecrets sets the contents of the Secrets among the settings' objects, as plain text, so that their faults have the
// paths of the config.
func (h *HostedCluster) SetSecrets(settings *hostedcluster.Settings) error {
	return h.setSecrets(settings.Referred)
}

func (h *HostedCluster) setSecrets(all []hostedcluster.Referred) error {
	var faults fault.Faults
	for i := range h.Objects {
		if h.Objects[i].isSecret() {
			data, err := h.Objects[i].read(h.dir)
			faults.Join(fmt.Sprintf("objects[%d]", i), err)
			all[i].Data = data
		}
	}
	return faults.Err()
}

// ReferredInputs returns the settings' objects with the contents of Secrets, as secrets. It returns a fault for each
// content that is missing or that HyperShift could not use.
func (h *HostedCluster) ReferredInputs(
	settings *hostedcluster.Settings,
	site *hostedcluster.SiteArgs,
) ([]hostedcluster.Referred, error) {
	read := *settings
	return h.referredInputs(settings.Referred, func(all []hostedcluster.Referred) error {
		read.Referred = all
		return read.Validate(site)
	})
}

// referredInputs returns the objects with the contents of Secrets, as secrets, and the faults of their contents that
// validate returns.
func (h *HostedCluster) referredInputs(
	all []hostedcluster.Referred,
	validate func([]hostedcluster.Referred) error,
) ([]hostedcluster.Referred, error) {
	all = slices.Clone(all)
	if err := h.setSecrets(all); err != nil {
		return nil, err
	}
	var faults fault.Faults
	for _, f := range h.InObjects(fault.In(validate(all))) {
		if objectPath.MatchString(f.Path) {
			faults.Join("", f)
		}
	}
	for i, r := range all {
		if r.Kind.OrDefault() == hostedcluster.SecretKind {
			for key, value := range r.Data {
				all[i].Data[key] = pulumi.ToSecret(value).(pulumi.StringOutput)
			}
		}
	}
	return all, faults.Err()
}

// objectTexts returns the contents of the objects that are in files and in the environment, by their paths in the
// config below section.
func (h *HostedCluster) objectTexts(section string) (map[string]string, error) {
	texts := map[string]string{}
	var faults fault.Faults
	for i := range h.Objects {
		data, err := h.Objects[i].read(h.dir)
		faults.Join(fmt.Sprintf("objects[%d]", i), err)
		for _, s := range h.Objects[i].sources() {
			texts[fmt.Sprintf("%s.objects[%d].%s", section, i, s.path)] = input.Text(data[s.key])
		}
	}
	return texts, faults.Err()
}

// objectPath matches the path of the content of an object's key in the component.
var objectPath = regexp.MustCompile(`^objects\[(\d+)\](?:\.(data)(?:\[(.*)\])?)?`)

// InObjects maps the contents of objects in the component's faults to the keys of the config.
func (h *HostedCluster) InObjects(faults fault.Faults) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		if match := objectPath.FindStringSubmatch(f.Path); match != nil && match[2] == "data" {
			index, _ := strconv.Atoi(match[1])
			own.Path = fmt.Sprintf("objects[%d]", index)
			for _, s := range h.Objects[index].sources() {
				if s.key == match[3] {
					own.Path += "." + s.path
				}
			}
		}
		out = append(out, &own)
	}
	return out
}
