package offline

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/cloudfront"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ec2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/elbv2"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/eventbridge"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kms"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ram"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/route53"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/s3"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/sqs"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// maxMessage is the largest gRPC message that the engine sends, in bytes.
const maxMessage = 400 << 20

// ReadRehearsal reads a rehearsal's settings: YAML text in braces, or the path of a YAML or JSON file. Empty settings
// are the zero value. It reports all errors in the settings at once.
func ReadRehearsal(setting string) (faults.Rehearsal, error) {
	return faults.Read(setting, quotaNames())
}

// Options configure the folder of the accounts and the content of new ones.
type Options struct {
	// Dir is the folder of the accounts (Dir/accounts/<account ID>) and of the Kubernetes clusters (Dir/clusters/<name>).
	// It is created if missing.
	Dir string
	// Seeds are the resources that the stack's configuration expects to exist already. Each is created once in each
	// account that is used: when the account is created, or when a configuration first names the seed. A seed that was
	// deleted later is not created again.
	Seeds []seed.Seed
	// Tell is called with one sentence for each account that is created and for the seeds created in it. May be nil.
	Tell func(sentence string)
	// Rehearsal configures latency, throttling and faults of the accounts.
	Rehearsal faults.Rehearsal
	// Killer ends processes at the calls that the rehearsal names. May be nil.
	Killer faults.Killer
}

// Server serves the aws provider and the kubernetes provider. Each connection is a provider instance with its own
// configuration.
type Server struct {
	dir   string
	seeds []seed.Seed
	tell  func(string)
	types aws.Catalogue
	stage *faults.Run
	// aws and kubernetes are the listeners of the two providers.
	aws, kubernetes net.Listener

	mu       sync.Mutex
	accounts *aws.Accounts
	clusters map[string]*kubernetes.Cluster
	serving  map[*grpc.Server]struct{}
	uses     []permissions.Need
	closed   bool
	done     sync.WaitGroup

	caller caller
}

// Serve listens on a free port of the loopback interface until Close. It fails if Dir cannot be created or no port is
// free.
func Serve(opts Options) (*Server, error) {
	if err := store.MakeDir(filepath.Join(opts.Dir, "accounts")); err != nil {
		return nil, err
	}
	tell := opts.Tell
	if tell == nil {
		tell = func(string) {}
	}
	if err := deleteOutOfBand(opts.Dir, opts.Rehearsal.Deleted, tell); err != nil {
		return nil, err
	}
	awsListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the engine: %w", err)
	}
	kubernetesListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = awsListener.Close()
		return nil, fmt.Errorf("listening for the engine: %w", err)
	}
	types := catalogue()
	s := &Server{
		dir:        opts.Dir,
		tell:       tell,
		types:      types,
		stage:      faults.NewRun(opts.Rehearsal, opts.Killer),
		aws:        awsListener,
		kubernetes: kubernetesListener,
		accounts:   aws.NewAccounts(opts.Dir, types),
		clusters:   map[string]*kubernetes.Cluster{},
		serving:    map[*grpc.Server]struct{}{},
	}
	s.seeds = slices.Clone(opts.Seeds)
	for i := range s.seeds {
		s.seeds[i].Lacks = opts.Rehearsal.RoleLacks
	}
	if documents := opts.Rehearsal.Documents; documents != nil {
		s.Watch(func(string) []policy.Document { return documents })
	}
	s.done.Go(func() {
		s.accept(s.aws, func() pulumirpc.ResourceProviderServer {
			return &aws.Provider{Types: s.types, Open: s.account, Note: s.note, Caller: &s.caller, Stage: s.stage}
		}, nil)
	})
	objects := kubernetes.ObjectKinds()
	s.done.Go(func() {
		s.accept(s.kubernetes, func() pulumirpc.ResourceProviderServer {
			return kubernetes.NewProvider(objects, s.cluster)
		}, s.stage.Intercept)
	})
	return s, nil
}

// Providers returns the value of PULUMI_DEBUG_PROVIDERS that makes the engine attach: "aws:PORT,kubernetes:PORT".
func (s *Server) Providers() string {
	port := func(listener net.Listener) int { return listener.Addr().(*net.TCPAddr).Port }
	return fmt.Sprintf("aws:%d,kubernetes:%d", port(s.aws), port(s.kubernetes))
}

// Calls returns how many calls the providers have made so far, not counting previews.
func (s *Server) Calls() int { return s.stage.Calls() }

// Close stops listening and closes all connections. The accounts remain on disk.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := errors.Join(s.aws.Close(), s.kubernetes.Close())
	for server := range s.serving {
		server.Stop()
	}
	s.mu.Unlock()
	s.done.Wait()

	errs := []error{err, s.accounts.Close()}
	for _, cluster := range s.clusters {
		errs = append(errs, cluster.Close())
	}
	return errors.Join(errs...)
}

// accept creates a gRPC server and a provider for each connection, because the engine configures each connection
// separately.
func (s *Server) accept(
	listener net.Listener,
	newProvider func() pulumirpc.ResourceProviderServer,
	intercept grpc.UnaryServerInterceptor,
) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		options := []grpc.ServerOption{grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage)}
		if intercept != nil {
			options = append(options, grpc.UnaryInterceptor(intercept))
		}
		server := grpc.NewServer(options...)
		pulumirpc.RegisterResourceProviderServer(server, newProvider())
		if !s.track(server) {
			_ = conn.Close()
			return
		}
		s.done.Go(func() {
			// Serve returns an error only because the connection has ended.
			_ = server.Serve(plugin.OneConnection(conn))
			server.Stop()
			s.forget(server)
		})
	}
}

func (s *Server) track(server *grpc.Server) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.serving[server] = struct{}{}
	return true
}

func (s *Server) forget(server *grpc.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.serving, server)
}

// account opens the account of a site. It creates the account and the seeds of all accounts, if they do not exist.
func (s *Server) account(at aws.Site) (*aws.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range seed.Elsewhere(s.seeds, at.Account) {
		there := at
		there.Account = other
		if _, err := s.seeded(there); err != nil {
			return nil, err
		}
	}
	return s.seeded(at)
}

// seeded opens the account of a site, and creates it and its seeds if they do not exist.
func (s *Server) seeded(at aws.Site) (*aws.Account, error) {
	account, err := s.accounts.Open(at.Account)
	if err != nil {
		return nil, err
	}
	sentence, err := seed.Apply(account, s.seeds, at)
	if err != nil {
		return nil, err
	}
	if sentence != "" {
		s.tell(sentence)
	}
	return account, nil
}

// cluster opens the cluster of that name, or creates it.
func (s *Server) cluster(name string) (*kubernetes.Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cluster := s.clusters[name]; cluster != nil {
		return cluster, nil
	}
	cluster, err := openCluster(s.dir, name, s.types)
	if err != nil {
		return nil, err
	}
	s.clusters[name] = cluster
	return cluster, cluster.Rehearse(s.stage.Rehearsal)
}

// APIRequest is a request to AWS's API that the provider would send.
type APIRequest = aws.APIRequest

// caller has the policies of the user who calls AWS by the provider.
type caller struct {
	mu       sync.Mutex
	watched  bool
	policies func(account string) []policy.Document
	requests []APIRequest
}

// Watch keeps the requests that the provider would send to AWS's API from now on. If policies is not nil, a request
// that the caller's policies in its account do not allow is refused as AWS refuses it.
func (s *Server) Watch(policies func(account string) []policy.Document) {
	s.caller.mu.Lock()
	defer s.caller.mu.Unlock()
	s.caller.watched, s.caller.policies, s.caller.requests = true, policies, nil
}

// Requests returns the requests since Watch, in order.
func (s *Server) Requests() []APIRequest {
	s.caller.mu.Lock()
	defer s.caller.mu.Unlock()
	return slices.Clone(s.caller.requests)
}

// PoliciesIn returns the policies of the user who calls AWS in an account, and false if every request is allowed.
func (s *Server) PoliciesIn(account string) ([]policy.Document, bool) {
	s.caller.mu.Lock()
	defer s.caller.mu.Unlock()
	if s.caller.policies == nil {
		return nil, false
	}
	return s.caller.policies(account), true
}

// Allowed reports whether policies allow a request.
func Allowed(r APIRequest, policies []policy.Document) bool {
	return policy.Evaluate(r.Request, policies...) == policy.Allowed
}

// Watched implements aws.Caller.
func (c *caller) Watched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched
}

// Allow implements aws.Caller.
func (c *caller) Allow(r APIRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	return c.policies == nil || Allowed(r, c.policies(r.Account))
}

// Uses lists the resources that the engine has checked since the server started, and the functions that it has called,
// in order.
func (s *Server) Uses() []permissions.Need {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.uses)
}

func (s *Server) note(at aws.Site, token, urn string, inputs props.Map) {
	known := maps.Clone(inputs)
	maps.DeleteFunc(known, func(_ string, v any) bool { return props.HoldsUnknown(v) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = append(s.uses, permissions.Need{Token: token, URN: urn, Account: at.Account, AccountNamed: at.AccountNamed,
		Region:    at.Region,
		Partition: at.Partition, Inputs: known})
}

// Tokens lists the resource types and functions of the offline AWS, in alphabetical order.
func Tokens() []string {
	c := catalogue()
	tokens := slices.Collect(maps.Keys(c.Kinds))
	return slices.Sorted(slices.Values(slices.AppendSeq(tokens, maps.Keys(c.Functions))))
}

// catalogue lists the resource types, functions and quotas of the offline account.
var catalogue = sync.OnceValue(func() aws.Catalogue {
	return aws.NewCatalogue(slices.Concat(
		ec2.Kinds(), elbv2.Kinds(), iam.Kinds(), route53.Kinds(), s3.Kinds(),
		kms.Kinds(), cloudfront.Kinds(), sqs.Kinds(), eventbridge.Kinds(), ram.Kinds(),
	), slices.Concat(
		aws.IdentityFunctions(), ec2.Functions(), elbv2.Functions(), iam.Functions(), route53.Functions(), s3.Functions(),
		kms.Functions(),
	), quotas())
})
