// Unchanged Go clients against the server: `clients SCENARIO`, with KUBECONFIG set. Ends with 0 when everything was as a
// real server does it, else it says what was not.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

var scenarios = map[string]func(context.Context, *rest.Config) error{
	"typed":      typed,
	"protobuf":   protobuf,
	"informer":   informer,
	"leader":     leader,
	"metadata":   metadataOnly,
	"reconciler": reconciler,
	"webhook":    webhook,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 || scenarios[os.Args[1]] == nil {
		return fmt.Errorf("usage: clients SCENARIO")
	}
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	return scenarios[os.Args[1]](ctx, config)
}

// try runs steps in order and names the one that failed.
func try(steps ...step) error {
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

type step struct {
	name string
	do   func() error
}

func want[T comparable](what string, got, wanted T) error {
	if got != wanted {
		return fmt.Errorf("%s is %v, not %v", what, got, wanted)
	}
	return nil
}

// inNamespace makes a namespace for a scenario.
func inNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	namespace := namespaceNamed(name)
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return err
}
