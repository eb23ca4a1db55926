// Package kubeconfig finds and reads the kubeconfig of a management cluster as pulumi-kubernetes does, so that what is
// checked is what the engine then changes. It is the only package that reads kubeconfigs; internal/cluster/kubeapi
// creates clients from what it returns.
package kubeconfig

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth providers of kubectl and pulumi-kubernetes
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// Variable is the environment variable with the paths of kubeconfigs.
const Variable = "KUBECONFIG"

// Lookup returns the value of an environment variable, "" if it is not set.
type Lookup func(name string) string

// Selected is a context of a kubeconfig, with the settings that it had when it was read.
type Selected struct {
	// File is the path of the kubeconfig that the stack names, "" for the files of the environment.
	File string
	// Context is the name of the context.
	Context string
	// Server is the URL of the API server.
	Server string
	// CADigest is the SHA-256 digest of the certificates that the client trusts the API server by, "" for the system's
	// certificates.
	CADigest string
	// InPod is true if the environment has no kubeconfig, and the service account of this pod is used.
	InPod bool

	// asked is the context that the stack names, "" for the current one.
	asked  string
	lookup Lookup
	// rules find the files, in which an auth provider keeps the tokens that it refreshes.
	rules *clientcmd.ClientConfigLoadingRules
	// config has the context alone, with absolute paths. relative are those that File gives relative to its folder.
	config   *clientcmdapi.Config
	relative []string
}

// Select selects a context as pulumi-kubernetes 4.30 does for an engine that has the environment. An empty file means
// those of KUBECONFIG, else ~/.kube/config in $HOME, else the service account of the pod. In file, ~ is the home of the
// user database, whatever $HOME is. An empty context is the current one.
//
// Source: parseKubeconfigString and Configure in provider/pkg/provider of github.com/pulumi/pulumi-kubernetes.
func Select(file, context string, lookup Lookup) (Selected, error) {
	s := Selected{asked: context, lookup: lookup}
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: search(lookup)}
	if file != "" {
		path, err := filepath.Abs(expand(file, lookup))
		if err != nil {
			return s, s.Unusable(err)
		}
		s.File = path
		rules = &clientcmd.ClientConfigLoadingRules{ExplicitPath: path, DoNotResolvePaths: true}
	}
	s.rules = rules
	raw, err := rules.Load()
	if err != nil {
		return s, s.Unusable(err)
	}
	raw.CurrentContext = cmp.Or(context, raw.CurrentContext)
	if _, err := clientcmd.NewDefaultClientConfig(*raw,
		nil).ClientConfig(); file == "" && clientcmd.IsEmptyConfig(err) && inPod(lookup) {
		raw, s.InPod = podConfig(lookup), true
	}
	return s, s.take(raw)
}

// take makes the current context of a kubeconfig the selected one.
func (s *Selected) take(raw *clientcmdapi.Config) error {
	context := raw.Contexts[raw.CurrentContext]
	switch {
	case raw.CurrentContext == "" && !s.exists():
		return s.Unusable(errors.New("it does not exist: log in to the management cluster, or set KUBECONFIG"))
	case raw.CurrentContext == "":
		return s.Unusable(errors.New("it has no current context"))
	case context == nil:
		return s.Unusable(fmt.Errorf("context %q does not exist", raw.CurrentContext))
	case raw.Clusters[context.Cluster] == nil:
		return s.Unusable(fmt.Errorf("context %q has no cluster: %q does not exist", raw.CurrentContext, context.Cluster))
	case context.AuthInfo != "" && raw.AuthInfos[context.AuthInfo] == nil:
		return s.Unusable(fmt.Errorf("context %q has no user: %q does not exist", raw.CurrentContext, context.AuthInfo))
	}
	config := raw.DeepCopy()
	if err := clientcmdapi.MinifyConfig(config); err != nil {
		return s.Unusable(err)
	}
	for _, path := range references(config) {
		if *path != "" && !filepath.IsAbs(*path) {
			s.relative = append(s.relative, *path)
			*path = filepath.Join(filepath.Dir(s.File), *path)
		}
	}
	s.config, s.Context = config, config.CurrentContext
	cluster := s.cluster()
	authority := cluster.CertificateAuthorityData
	if len(authority) == 0 && cluster.CertificateAuthority != "" {
		var err error
		if authority, err = atomicfile.ReadInput(cluster.CertificateAuthority); err != nil {
			return s.Unusable(fmt.Errorf("certificate-authority: %w", err))
		}
	}
	s.Server = cluster.Server
	if len(authority) > 0 {
		sum := sha256.Sum256(authority)
		s.CADigest = hex.EncodeToString(sum[:])
	}
	return nil
}

// cluster returns the settings of the context's cluster, nil for a context that was not read.
func (s *Selected) cluster() *clientcmdapi.Cluster {
	if s.config == nil {
		return nil
	}
	return s.config.Clusters[s.config.Contexts[s.Context].Cluster]
}

// RESTConfig returns the settings of a client. The client reads tokens from files and exec plugins again each time.
func (s Selected) RESTConfig() (*rest.Config, error) {
	if s.config == nil {
		return nil, s.Unusable(errors.New("it has not been read"))
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*s.config, s.Context, nil, s.rules).ClientConfig()
	if err != nil {
		return nil, s.Unusable(err)
	}
	return config, nil
}

// Again reads the kubeconfig again, as the engine will: of a file without a context, its current context; of the
// environment, the context that was selected. It fails if the result is another cluster. Credentials may differ.
func (s Selected) Again() (Selected, error) {
	context := s.asked
	if s.File == "" && !s.InPod {
		context = s.Context
	}
	now, err := Select(s.File, context, s.lookup)
	if err != nil {
		return now, err
	}
	now.asked = s.asked
	return now, s.Changed(now)
}

// Changed returns the refusal of a kubeconfig that selects another cluster now than when the operation began, nil if it
// selects the same one.
func (s Selected) Changed(now Selected) error {
	why := ""
	switch {
	case s.Context != now.Context:
		why = fmt.Sprintf("the context %s instead of %s", now.Context, s.Context)
	case s.Server != now.Server:
		why = fmt.Sprintf("the API server %s instead of %s", now.Server, s.Server)
	case s.CADigest != now.CADigest, s.File != now.File, s.InPod != now.InPod, !sameTLS(s.cluster(), now.cluster()):
		why = "the API server with other settings of TLS or of a proxy"
	default:
		return nil
	}
	return &failure.Error{
		Reason:  failure.Conflict,
		Problem: fmt.Sprintf("%s was changed while this command ran: it now selects %s", s.source(), why),
		Remedy:  "run the command again, which then uses what is selected now",
	}
}

// SameSettings reports whether two readings of a kubeconfig have the same settings, credentials and their plugins too:
// one client serves both.
func (s Selected) SameSettings(other Selected) bool { return reflect.DeepEqual(s.config, other.config) }

// sameTLS reports whether connections to the API server are made by the same way and verified by the same name.
func sameTLS(a, b *clientcmdapi.Cluster) bool {
	return a != nil && b != nil && a.InsecureSkipTLSVerify == b.InsecureSkipTLSVerify &&
		a.TLSServerName == b.TLSServerName && a.ProxyURL == b.ProxyURL
}

// source describes where the context comes from.
func (s Selected) source() string {
	switch {
	case s.File != "":
		return "the kubeconfig " + s.File
	case s.InPod:
		return "the service account of the pod"
	}
	files := slices.DeleteFunc(search(s.lookup), func(file string) bool { return file == "" })
	if len(files) == 0 {
		return "the kubeconfig that " + Variable + " names"
	}
	return "the kubeconfig " + strings.Join(files, string(filepath.ListSeparator))
}

// search returns the files that are read if a stack names none.
func search(lookup Lookup) []string {
	if list := lookup(Variable); list != "" {
		var files []string
		for _, file := range filepath.SplitList(list) {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		return files
	}
	return []string{filepath.Join(lookup("HOME"), clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName)}
}

// expand replaces a leading ~ by the user's home in the user database. Only a user that it does not have, as in many
// containers, has $HOME. pulumi-kubernetes is built without cgo, whose os/user does the same.
func expand(file string, lookup Lookup) string {
	rest, home := strings.CutPrefix(file, "~")
	if !home || rest != "" && rest[0] != '/' {
		return file
	}
	dir := lookup("HOME")
	if known, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		dir = known.HomeDir
	}
	return filepath.Join(dir, rest)
}

// references returns the paths of files and programs in a kubeconfig. A program's name without a separator is searched
// for in PATH.
func references(config *clientcmdapi.Config) []*string {
	var paths []*string
	for _, cluster := range config.Clusters {
		paths = append(paths, &cluster.CertificateAuthority)
	}
	for _, user := range config.AuthInfos {
		paths = append(paths, &user.ClientCertificate, &user.ClientKey, &user.TokenFile)
		if user.Exec != nil && strings.ContainsRune(user.Exec.Command, filepath.Separator) {
			paths = append(paths, &user.Exec.Command)
		}
	}
	return paths
}

// accountDir has the credentials of a pod's service account.
const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// inPod reports whether a pod with a service account has the environment.
func inPod(lookup Lookup) bool {
	token, err := os.Stat(filepath.Join(accountDir, "token"))
	return lookup("KUBERNETES_SERVICE_HOST") != "" && lookup("KUBERNETES_SERVICE_PORT") != "" && err == nil &&
		!token.IsDir()
}

// podConfig returns the kubeconfig of a pod's service account: rest.InClusterConfig of client-go, with files that
// clients read anew.
func podConfig(lookup Lookup) *clientcmdapi.Config {
	const name = "pod"
	cluster := clientcmdapi.NewCluster()
	cluster.Server = "https://" + net.JoinHostPort(lookup("KUBERNETES_SERVICE_HOST"), lookup("KUBERNETES_SERVICE_PORT"))
	cluster.CertificateAuthority = filepath.Join(accountDir, "ca.crt")
	account := clientcmdapi.NewAuthInfo()
	account.TokenFile = filepath.Join(accountDir, "token")
	context := clientcmdapi.NewContext()
	context.Cluster, context.AuthInfo, context.Namespace = name, name, lookup("POD_NAMESPACE")
	namespace, err := atomicfile.ReadInput(filepath.Join(accountDir, "namespace"))
	if err == nil && context.Namespace == "" {
		context.Namespace = strings.TrimSpace(string(namespace))
	}
	return &clientcmdapi.Config{
		CurrentContext: name, Contexts: map[string]*clientcmdapi.Context{name: context},
		Clusters:  map[string]*clientcmdapi.Cluster{name: cluster},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: account},
	}
}

// exists reports whether there is a file to read, or was one.
func (s *Selected) exists() bool {
	return s.File != "" || s.InPod || slices.ContainsFunc(search(s.lookup), func(file string) bool {
		_, err := os.Stat(file)
		return !errors.Is(err, os.ErrNotExist)
	})
}

// Unusable returns the error of a kubeconfig from which there is no client: it names the file and the context, in one
// line.
func (s *Selected) Unusable(err error) error {
	where := s.source()
	if s.Context != "" {
		where = "context " + s.Context + " of " + where
	}
	if text := err.Error(); strings.Contains(text, "\n") {
		err = errors.New(strings.Join(strings.Fields(text), " "))
	}
	if strings.Contains(err.Error(), "illegal base64 data") { // of a field that the decoder does not name
		err = fmt.Errorf("%w; certificate-authority-data, client-certificate-data and client-key-data have to be base64", err)
	}
	return fmt.Errorf("reading the kubeconfig of the management cluster, %s: %w", where, err)
}
