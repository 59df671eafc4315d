package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// A shared informer that begins with a streamed list, and follows what happens.
func informer(ctx context.Context, config *rest.Config) error {
	var lock sync.Mutex
	streamed, listed := 0, 0
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return through(func(request *http.Request) (*http.Response, error) {
			lock.Lock()
			if strings.HasSuffix(request.URL.Path, "/configmaps") && request.Method == http.MethodGet {
				if request.URL.Query().Get("sendInitialEvents") == "true" {
					streamed++
				} else if request.URL.Query().Get("watch") != "true" {
					listed++
				}
			}
			lock.Unlock()
			return next.RoundTrip(request)
		})
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := inNamespace(ctx, client, "go-informer"); err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps("go-informer")
	if _, err := maps.Create(ctx, configMap("before", "1"), metav1.CreateOptions{}); err != nil {
		return err
	}

	events := make(chan string, 100)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("go-informer"))
	shared := factory.Core().V1().ConfigMaps().Informer()
	_, err = shared.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { events <- "add " + o.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, o any) { events <- "update " + o.(*corev1.ConfigMap).Data["key"] },
		DeleteFunc: func(o any) { events <- "delete " + o.(*corev1.ConfigMap).Name },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v was never synced", kind)
		}
	}
	next := func(wanted string) func() error {
		return func() error {
			select {
			case event := <-events:
				return want("the event", event, wanted)
			case <-ctx.Done():
				return fmt.Errorf("no event %q", wanted)
			}
		}
	}
	return try(
		step{"what was there", next("add before")},
		step{"create", func() error {
			_, err := maps.Create(ctx, configMap("after", "1"), metav1.CreateOptions{})
			return err
		}},
		step{"seen", next("add after")},
		step{"update", func() error {
			_, err := maps.Update(ctx, configMap("after", "2"), metav1.UpdateOptions{})
			return err
		}},
		step{"seen", next("update 2")},
		step{"delete", func() error { return maps.Delete(ctx, "before", metav1.DeleteOptions{}) }},
		step{"seen", next("delete before")},
		step{"the list was streamed", func() error {
			lock.Lock()
			defer lock.Unlock()
			if err := want("requests with sendInitialEvents", streamed, 1); err != nil {
				return err
			}
			return want("lists", listed, 0)
		}},
	)
}

// Two candidates for one Lease: the second leads when the first lets go.
func leader(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := inNamespace(ctx, client, "go-leader"); err != nil {
		return err
	}
	led := make(chan string, 2)
	candidate := func(ctx context.Context, name string) error {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Name: "lock", Namespace: "go-leader"},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			ReleaseOnCancel: true,
			LeaseDuration:   3 * time.Second,
			RenewDeadline:   2 * time.Second,
			RetryPeriod:     100 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { led <- name },
				OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			return err
		}
		go elector.Run(ctx)
		return nil
	}
	next := func(wanted string) error {
		select {
		case name := <-led:
			return want("the leader", name, wanted)
		case <-ctx.Done():
			return fmt.Errorf("%s never led", wanted)
		}
	}
	first, letGo := context.WithCancel(ctx)
	defer letGo()
	return try(
		step{"first", func() error { return candidate(first, "first") }},
		step{"leads", func() error { return next("first") }},
		step{"second", func() error { return candidate(ctx, "second") }},
		step{"takes over", func() error {
			letGo()
			return next("second")
		}},
		step{"the lease says so", func() error {
			lease, err := client.CoordinationV1().Leases("go-leader").Get(ctx, "lock", metav1.GetOptions{})
			if err != nil {
				return err
			}
			return want("its holder", *lease.Spec.HolderIdentity, "second")
		}},
	)
}

// The client that asks for metadata only, of built-in and of custom kinds.
func metadataOnly(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	return try(
		step{"objects", func() error {
			if err := inNamespace(ctx, client, "go-metadata"); err != nil {
				return err
			}
			_, err := client.CoreV1().ConfigMaps("go-metadata").Create(ctx, configMap("one", "1"), metav1.CreateOptions{})
			return err
		}},
		step{"list", func() error {
			list, err := partial.Resource(maps).Namespace("go-metadata").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			if err := want("the number", len(list.Items), 1); err != nil {
				return err
			}
			return want("a label", list.Items[0].Labels["made-by"], "go")
		}},
		step{"get", func() error {
			one, err := partial.Resource(maps).Namespace("go-metadata").Get(ctx, "one", metav1.GetOptions{})
			if err != nil {
				return err
			}
			return want("a label", one.Labels["made-by"], "go")
		}},
		step{"watch", func() error {
			watcher, err := partial.Resource(maps).Namespace("go-metadata").Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			defer watcher.Stop()
			event := <-watcher.ResultChan()
			return want("the event", fmt.Sprintf("%s %T", event.Type, event.Object), "ADDED *v1.PartialObjectMetadata")
		}},
		step{"definitions", func() error {
			_, err := partial.Resource(definitions).List(ctx, metav1.ListOptions{})
			return err
		}},
	)
}
