package kubernetes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// UID returns the UID of namespace kube-system, which a cluster gets when it is created. It fails, as the API server does, where the caller may
// not read namespaces, or where it does not answer.
func (c *Cluster) UID() (string, error) {
	if err := c.Answers(); err != nil {
		return "", err
	}
	how, err := c.Operators()
	if err != nil {
		return "", err
	}
	if how.Restricted {
		return "", apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "kube-system", errors.New("the caller may not get it"))
	}
	var uid string
	err = c.folder.Transact(func(*store.Tx) error {
		path := filepath.Join(c.folder.Dir, "uid")
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			text = []byte(ids.UUID())
			err = os.WriteFile(path, text, 0o600)
		}
		uid = string(text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading the UID of offline cluster %s: %w", c.Name(), err)
	}
	return uid, nil
}
