// An ordinary operator on controller-runtime, as one would write it from its book: the peer that our runtime is measured
// against. It takes the flags of every operator of the bench, and says on stdout how far it is.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "telltale.dev/bench/controller-runtime/api/v1"
)

func main() {
	mode := flag.String("mode", "widgets", "what to reconcile: widgets or shelves; load ends after loading")
	namespace := flag.String("namespace", "", "the only namespace to look at; all of them by default")
	workers := flag.Int("workers", 10, "how many objects at a time")
	expect := flag.Int64("expect", 0, "say so after this many reconciles")
	write := flag.String("write", "update", "how a status is written: update or patch")
	strip := flag.Bool("strip-managed-fields", false, "keep no managedFields in the cache")
	flag.Parse() // --kubeconfig is controller-runtime's own

	if *mode == "load" {
		fmt.Println("loaded")
		return
	}
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), *mode, *namespace, *workers, *expect, writers[*write], *strip); err != nil {
		ctrl.Log.Error(err, "the operator ended")
		os.Exit(1)
	}
}

func run(ctx context.Context, mode, namespace string, workers int, expect int64, write writer, strip bool) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1 // the server's priority and fairness is the only limit
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		return err
	}
	options := ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	}
	if namespace != "" {
		options.Cache.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	}
	if strip {
		options.Cache.DefaultTransform = cache.TransformStripManagedFields()
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	count := counting(expect)
	if mode == "shelves" {
		err = (&shelves{mgr.GetClient(), write, count}).setup(ctx, mgr, workers)
	} else {
		err = (&widgets{mgr.GetClient(), write, count}).setup(mgr, workers)
	}
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

type writer func(ctx context.Context, c client.Client, before, after client.Object) error

// One field manager for every operator of the bench, so that managedFields stay as large as they are.
var fieldOwner = client.FieldOwner("operator")

var writers = map[string]writer{
	"update": func(ctx context.Context, c client.Client, _, after client.Object) error {
		return c.Status().Update(ctx, after, fieldOwner)
	},
	"patch": func(ctx context.Context, c client.Client, before, after client.Object) error {
		return c.Status().Patch(ctx, after, client.MergeFrom(before), fieldOwner)
	},
}

// counter counts reconciles: it tells when the first round is done, and the total whenever it gets SIGUSR2.
type counter struct {
	done   atomic.Int64
	expect int64
}

func counting(expect int64) *counter {
	count := &counter{expect: expect}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	go func() {
		for range asked {
			fmt.Println("count", count.done.Load())
		}
	}()
	return count
}

func (c *counter) up() {
	if c.done.Add(1) == c.expect {
		fmt.Println("reconciled", c.expect)
	}
}
