package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
)

// theAgent is a process of the Pulumi Kubernetes Operator's agent in a pod.
type theAgent struct {
	binary, pod string
	conn        *grpc.ClientConn
}

// plain is the codec of messages that are already encoded: a request of the agent without fields is empty.
type plain struct{}

func (plain) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (plain) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }

func (plain) Name() string { return "proto" }

// start starts the agent of a pod as the operator does, without authentication.
func (a *theAgent) start(s *podstack.Stack) {
	s.T.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(s.T, err)
	port := listener.Addr().(*net.TCPAddr).Port
	require.NoError(s.T, listener.Close())
	log, err := os.Create(filepath.Join(s.Pod, "agent.log"))
	require.NoError(s.T, err)
	agent := exec.Command(a.binary, "serve", "--workspace", "project", "--stack", "test", "--secrets-provider",
		transit.Provider,
		"--host", "127.0.0.1", "--port", fmt.Sprint(port))
	agent.Dir, agent.Env, agent.Stdout, agent.Stderr = s.Pod, s.Environ(), log, log
	agent.Env = append(agent.Env, "PULUMI_OPTION_NO_DEPENDENCIES=true", "PULUMI_OPTION_NO_PLUGINS=true")
	require.NoError(s.T, agent.Start())
	a.pod = s.Pod
	a.conn, err = grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(plain{}), grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(1<<30)))
	require.NoError(s.T, err)
	s.T.Cleanup(func() {
		_ = a.conn.Close()
		_ = agent.Process.Kill()
		_ = agent.Wait()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && s.T.Failed() {
			s.T.Logf("log of the agent:\n%s", text[max(0, len(text)-6000):])
		}
	})
}

// update calls the agent as the operator does for an Update, and returns the error of its status, which the operator
// reports.
func (a *theAgent) update(s *podstack.Stack) (message string, code int) {
	s.T.Helper()
	if a.pod != s.Pod {
		a.start(s)
	}
	ctx, cancel := context.WithTimeout(s.T.Context(), 5*time.Minute)
	defer cancel()
	stream, err := a.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/agent.AutomationService/Up")
	require.NoError(s.T, err)
	empty := []byte{}
	require.NoError(s.T, stream.SendMsg(&empty))
	require.NoError(s.T, stream.CloseSend())
	for {
		var received []byte
		switch err := stream.RecvMsg(&received); {
		case errors.Is(err, io.EOF):
			return "", 0
		case err != nil:
			return err.Error(), 1
		}
	}
}

func TestThePulumiKubernetesOperatorsAgentHasTheSameVerdictOfEachStep(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs(filepath.Join(*apiserver.Folder, "pko", "agent"))
	require.NoError(t, err)
	if _, err := os.Stat(binary); *apiserver.Folder == "" || err != nil {
		t.Skip("NOT TESTED: the table of steps by the agent of the Pulumi Kubernetes Operator, which needs its source: make conformance PKO=CHECKOUT")
	}
	for _, table := range []stepsTable{clusterSteps(), managementSteps()} {
		t.Run(table.key, func(t *testing.T) {
			t.Parallel()
			runSteps(t, table, byAgent(t, table, (&theAgent{binary: binary}).update), true)
		})
	}
}
