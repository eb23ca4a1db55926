package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// pod is a pod that runs here.
type pod struct {
	k      *Kubelet
	object corev1.Pod
	// dir has the pod's volumes and the files of its containers.
	dir, address string

	mu       sync.Mutex
	running  map[string]*exec.Cmd
	restarts map[string]int
	stopping bool
	ended    chan struct{}
}

// syncPods starts pods, and ends those that are being deleted.
func (k *Kubelet) syncPods() error {
	found, err := list[corev1.Pod](k, podsResource)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	left := maps.Clone(k.pods)
	for _, object := range found {
		p := k.pods[object.UID]
		delete(left, object.UID)
		switch {
		case p == nil && object.DeletionTimestamp == nil:
			k.addresses++
			p = &pod{
				k: k, object: object, dir: filepath.Join(k.dir, string(object.UID)),
				address: fmt.Sprintf("127.0.1.%d", k.addresses),
				running: map[string]*exec.Cmd{}, restarts: map[string]int{}, ended: make(chan struct{}),
			}
			k.pods[object.UID] = p
			go p.run()
		case p == nil:
			k.report("ending a pod", k.gone(&object))
		case object.DeletionTimestamp != nil:
			p.stop(time.Duration(ptr.Deref(object.DeletionGracePeriodSeconds, 30)) * time.Second)
		}
	}
	for uid, p := range left { // deleted by force
		p.kill()
		delete(k.pods, uid)
	}
	return nil
}

// gone deletes the object of a pod that has ended.
func (k *Kubelet) gone(object *corev1.Pod) error {
	return k.objects.Resource(podsResource).Namespace(object.Namespace).Delete(k.ctx, object.Name,
		metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0)), Preconditions: &metav1.Preconditions{UID: &object.UID}})
}

// run runs the init containers, and then the container until the pod is stopped.
func (p *pod) run() {
	defer close(p.ended)
	if err := p.volumes(); err != nil {
		p.k.report("volumes", err)
		return
	}
	for _, c := range p.object.Spec.InitContainers {
		for {
			err := p.container(c, nil)
			if p.isStopping() {
				return
			}
			if err == nil {
				break
			}
			p.k.report("init container "+c.Name, err)
			p.status(corev1.PodPending, "Init:Error", err)
			time.Sleep(time.Second)
		}
	}
	c := p.object.Spec.Containers[0]
	for {
		err := p.container(c, func() { p.status(corev1.PodRunning, "", nil) })
		if p.isStopping() {
			return
		}
		p.status(corev1.PodRunning, "Error", err)
		p.mu.Lock()
		p.restarts[c.Name]++
		p.mu.Unlock()
		time.Sleep(time.Second)
	}
}

func (p *pod) isStopping() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopping || p.k.ctx.Err() != nil
}

// stop ends the pod's containers as the kubelet does, and then deletes its object.
func (p *pod) stop(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return
	}
	p.stopping = true
	for _, c := range p.running {
		_ = c.Process.Signal(syscall.SIGTERM)
	}
	go func() {
		select {
		case <-p.ended:
		case <-time.After(grace):
			p.kill()
			<-p.ended
		case <-p.k.ctx.Done():
			return
		}
		p.k.report("ending a pod", p.k.gone(&p.object))
		p.k.mu.Lock()
		delete(p.k.pods, p.object.UID)
		p.k.mu.Unlock()
		_ = os.RemoveAll(p.dir)
	}()
}

// kill kills all processes of the pod.
func (p *pod) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopping = true
	for _, c := range p.running {
		_ = c.Process.Kill()
	}
}

// volumes writes the pod's volumes.
func (p *pod) volumes() error {
	for _, v := range p.object.Spec.Volumes {
		dir := p.volume(v.Name)
		err := os.MkdirAll(dir, 0o755) //nolint:gosec // of any user
		switch {
		case v.EmptyDir != nil:
		case v.Secret != nil:
			err = errors.Join(err, p.keys(secretsResource, v.Secret.SecretName, dir, v.Secret.Items))
		case v.ConfigMap != nil:
			err = errors.Join(err, p.keys(configMapsResource, v.ConfigMap.Name, dir, v.ConfigMap.Items))
		case v.Projected != nil:
			for _, s := range v.Projected.Sources {
				err = errors.Join(err, p.projected(s, dir))
			}
		default:
			err = fmt.Errorf("volume %s of pod %s is of a kind that is not known here", v.Name, p.object.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pod) volume(name string) string { return filepath.Join(p.dir, "volumes", name) }

// projected writes a source of a projected volume.
func (p *pod) projected(s corev1.VolumeProjection, dir string) error {
	switch {
	case s.ServiceAccountToken != nil:
		token, err := p.k.token(p.object.Namespace, p.object.Spec.ServiceAccountName, s.ServiceAccountToken.Audience)
		return errors.Join(err, write(filepath.Join(dir, s.ServiceAccountToken.Path), token))
	case s.ConfigMap != nil:
		return p.keys(configMapsResource, s.ConfigMap.Name, dir, s.ConfigMap.Items)
	case s.Secret != nil:
		return p.keys(secretsResource, s.Secret.Name, dir, s.Secret.Items)
	case s.DownwardAPI != nil:
		for _, item := range s.DownwardAPI.Items {
			if err := write(filepath.Join(dir, item.Path), p.field(item.FieldRef.FieldPath)); err != nil {
				return err
			}
		}
	}
	return nil
}

// field returns a field of the pod as fieldRef names it.
func (p *pod) field(path string) string {
	switch path {
	case "metadata.namespace":
		return p.object.Namespace
	case "metadata.name":
		return p.object.Name
	case "spec.serviceAccountName":
		return p.object.Spec.ServiceAccountName
	case "status.podIP":
		return p.address
	}
	return ""
}

// container runs a container until it ends. started, which may be nil, is called when it runs.
func (p *pod) container(c corev1.Container, started func()) error {
	image := p.k.Image(c.Image)
	if image == nil {
		return fmt.Errorf("ErrImagePull: %s", c.Image)
	}
	environ, err := p.environ(c, image)
	if err != nil {
		return fmt.Errorf("CreateContainerConfigError: %w", err)
	}
	files, err := os.MkdirTemp(p.dir, c.Name)
	if err != nil {
		return err
	}
	s := sandbox{Root: filepath.Join(files, "root"), Hostname: p.object.Name, Dir: c.WorkingDir, Env: environ}
	if s.Dir == "" {
		s.Dir = "/"
	}
	if s.Args = append(slices.Clone(c.Command), c.Args...); len(c.Command) == 0 {
		s.Args = append(slices.Clone(image.Entrypoint), s.Args...)
	}
	for i := range s.Args {
		s.Args[i] = expand(s.Args[i], environ)
	}
	if p.k.Arguments != nil {
		s.Args = append(s.Args, p.k.Arguments(s.Args, p.address)...)
	}
	if s.Mounts, err = p.mounts(c, image, files, s.Root); err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	command, err := s.command(executable, p.user(c))
	if err != nil {
		return err
	}
	log, err := os.OpenFile(p.k.Log(p.object.Name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	fmt.Fprintf(log, "== %s of %s: %s\n", c.Name, p.object.UID, strings.Join(s.Args, " "))
	command.Stdout, command.Stderr = log, log
	p.mu.Lock()
	if p.stopping {
		p.mu.Unlock()
		return errors.New("the pod is stopped")
	}
	if err = command.Start(); err == nil {
		p.running[c.Name] = command
	}
	p.mu.Unlock()
	if err != nil {
		return err
	}
	if started != nil {
		started()
	}
	err = command.Wait()
	p.mu.Lock()
	delete(p.running, c.Name)
	p.mu.Unlock()
	return err
}

// user returns the user of a container: of its security context, the pod's, or any but root.
func (p *pod) user(c corev1.Container) int {
	if s := c.SecurityContext; s != nil && s.RunAsUser != nil {
		return int(*s.RunAsUser)
	}
	if s := p.object.Spec.SecurityContext; s != nil && s.RunAsUser != nil {
		return int(*s.RunAsUser)
	}
	return 65534
}

// mounts creates the files of a container, and returns what is mounted over them.
func (p *pod) mounts(c corev1.Container, image *Image, files, root string) ([]mount, error) {
	mounts, err := base(root, image)
	add := func(source, target string, writable bool) {
		info, statErr := os.Stat(source)
		if err = errors.Join(err, statErr); statErr == nil {
			path := filepath.Join(root, target)
			for _, m := range mounts {
				if rest, under := strings.CutPrefix(target, m.Target+"/"); under { // it is in place of the root's files
					path = filepath.Join(m.Source, rest)
				}
			}
			err = errors.Join(err, makeTarget(path, info.IsDir()))
			mounts = append(mounts, mount{Source: source, Target: target, Writable: writable})
		}
	}
	own := filepath.Join(files, "own")
	if err = errors.Join(err, os.MkdirAll(filepath.Join(own, "tmp"), 0o755)); err != nil { //nolint:gosec // of any user
		return nil, err
	}
	add(filepath.Join(own, "tmp"), "/tmp", true)
	for _, path := range image.Copied {
		if err = errors.Join(err, copyTree(filepath.Join(image.Root, path), filepath.Join(own, path))); err != nil {
			return nil, err
		}
		add(filepath.Join(own, path), path, true)
	}
	for _, m := range c.VolumeMounts {
		target := m.MountPath
		if rest, is := strings.CutPrefix(target, "/var/run/"); is { // a link to /run in the base
			target = "/run/" + rest
			err = errors.Join(err, os.MkdirAll(filepath.Join(root, "var"), 0o755)) //nolint:gosec // of any user
			if link := filepath.Join(root, "var/run"); !exists(link) {
				//nolint:gosec // of any user
				err = errors.Join(err, os.MkdirAll(filepath.Join(root, "run"), 0o755), os.Symlink("../run", link))
			}
		}
		add(filepath.Join(p.volume(m.Name), m.SubPath), target, !m.ReadOnly)
	}
	for _, path := range p.k.Shared {
		add(path, path, true)
	}
	return mounts, err
}

// status reports the pod. trouble is the reason why its container waits, "" if it runs.
func (p *pod) status(phase corev1.PodPhase, trouble string, cause error) {
	p.mu.Lock()
	restarts := p.restarts[p.object.Spec.Containers[0].Name]
	p.mu.Unlock()
	is := corev1.ConditionTrue
	container := corev1.ContainerStatus{
		//nolint:gosec // few
		Name: p.object.Spec.Containers[0].Name, Image: p.object.Spec.Containers[0].Image, RestartCount: int32(restarts),
		Ready: trouble == "",
	}
	if trouble == "" {
		container.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.Now()}
	} else {
		is = corev1.ConditionFalse
		container.State.Waiting = &corev1.ContainerStateWaiting{Reason: trouble, Message: fmt.Sprint(cause)}
	}
	now := metav1.Now()
	status := corev1.PodStatus{
		Phase:             phase,
		PodIP:             p.address,
		PodIPs:            []corev1.PodIP{{IP: p.address}},
		StartTime:         &now,
		ContainerStatuses: []corev1.ContainerStatus{container},
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady,
		corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: is, LastTransitionTime: now})
	}
	p.k.report("the status of pod "+p.object.Name, p.k.setStatus(podsResource, p.object.Namespace, p.object.Name, &corev1.PodStatus{}, &status))
}

// token returns a token of a service account.
func (k *Kubelet) token(namespace, account, audience string) (string, error) {
	spec := map[string]any{"expirationSeconds": int64(3600)}
	if audience != "" {
		spec["audiences"] = []any{audience}
	}
	answer, err := k.objects.Resource(accountsResource).Namespace(namespace).Create(k.ctx, tokenRequest(account, spec),
		metav1.CreateOptions{}, "token")
	if err != nil {
		return "", fmt.Errorf("a token of %s/%s: %w", namespace, account, err)
	}
	text, err := json.Marshal(answer.Object["status"])
	if err != nil {
		return "", err
	}
	var status struct{ Token string }
	err = json.Unmarshal(text, &status)
	return status.Token, err
}
