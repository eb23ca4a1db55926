package kubelet

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

func tokenRequest(account string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": map[string]any{"name": account},
		"spec": spec,
	}}
}

// environ returns the environment of a container: of its image, of the API server's address, and of its own.
func (p *pod) environ(c corev1.Container, image *Image) ([]string, error) {
	server, err := url.Parse(p.k.Server)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(server.Host)
	if err != nil {
		return nil, err
	}
	environ := append([]string{"PATH=" + defaultPath, "HOSTNAME=" + p.object.Name}, image.Env...)
	environ = append(environ, "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	for _, from := range c.EnvFrom {
		resource, name, optional := secretsResource, "", false
		switch {
		case from.SecretRef != nil:
			name, optional = from.SecretRef.Name, ptr.Deref(from.SecretRef.Optional, false)
		case from.ConfigMapRef != nil:
			resource, name, optional = configMapsResource, from.ConfigMapRef.Name, ptr.Deref(from.ConfigMapRef.Optional, false)
		}
		values, err := p.values(resource, name)
		if err != nil && (!optional || !apierrors.IsNotFound(err)) {
			return nil, err
		}
		for key, value := range values {
			environ = append(environ, from.Prefix+key+"="+value)
		}
	}
	for _, variable := range c.Env {
		value, err := p.value(c, variable)
		if err != nil {
			return nil, err
		}
		environ = append(environ, variable.Name+"="+expand(value, environ))
	}
	return lastOfEach(environ), nil
}

// lastOfEach returns the variables without those that a later one of the same name replaces.
func lastOfEach(environ []string) []string {
	last := map[string]int{}
	for i, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		last[name] = i
	}
	var kept []string
	for i, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); last[name] == i {
			kept = append(kept, variable)
		}
	}
	return kept
}

// value returns the value of an environment variable.
func (p *pod) value(c corev1.Container, variable corev1.EnvVar) (string, error) {
	from := variable.ValueFrom
	switch {
	case from == nil:
		return variable.Value, nil
	case from.FieldRef != nil:
		return p.field(from.FieldRef.FieldPath), nil
	case from.ResourceFieldRef != nil:
		group, name, _ := strings.Cut(from.ResourceFieldRef.Resource, ".")
		quantities := c.Resources.Requests
		if group == "limits" {
			quantities = c.Resources.Limits
		}
		quantity := quantities[corev1.ResourceName(name)]
		return strconv.FormatInt(quantity.Value(), 10), nil
	case from.SecretKeyRef != nil:
		values, err := p.values(secretsResource, from.SecretKeyRef.Name)
		return values[from.SecretKeyRef.Key], err
	case from.ConfigMapKeyRef != nil:
		values, err := p.values(configMapsResource, from.ConfigMapKeyRef.Name)
		return values[from.ConfigMapKeyRef.Key], err
	}
	return "", fmt.Errorf("variable %s has an unknown source", variable.Name)
}

// values returns the data of a Secret or ConfigMap of the pod's namespace.
func (p *pod) values(resource schema.GroupVersionResource, name string) (map[string]string, error) {
	found, err := p.k.objects.Resource(resource).Namespace(p.object.Namespace).Get(p.k.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	data, _, err := unstructured.NestedStringMap(found.Object, "data")
	if err != nil || resource != secretsResource {
		return data, err
	}
	for key, value := range data {
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, err
		}
		data[key] = string(text)
	}
	return data, nil
}

// keys writes the keys of a Secret or ConfigMap as files: all of them without items.
func (p *pod) keys(resource schema.GroupVersionResource, name, dir string, items []corev1.KeyToPath) error {
	values, err := p.values(resource, name)
	if err != nil {
		return err
	}
	paths := map[string]string{}
	for key := range values {
		paths[key] = key
	}
	if len(items) > 0 {
		paths = map[string]string{}
		for _, item := range items {
			paths[item.Key] = item.Path
		}
	}
	for key, path := range paths {
		if err := write(filepath.Join(dir, path), values[key]); err != nil {
			return err
		}
	}
	return nil
}

var reference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// expand replaces references to environment variables, $(NAME).
func expand(text string, environ []string) string {
	return reference.ReplaceAllStringFunc(text, func(match string) string {
		name := reference.FindStringSubmatch(match)[1]
		for i := len(environ) - 1; i >= 0; i-- {
			if value, is := strings.CutPrefix(environ[i], name+"="); is {
				return value
			}
		}
		return match
	})
}
