package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var widgetKind = schema.GroupVersionKind{Group: "clients.example.test", Version: "v1", Kind: "Widget"}

// A manager with a reconciler that makes a ConfigMap for each Widget, tells of it in the status, and cleans up.
func reconciler(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	// Installs and waits until discovery knows the kind.
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*extensionsv1.CustomResourceDefinition{widgetDefinition()}}); err != nil {
		return fmt.Errorf("install the definition: %w", err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "widgets",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		return err
	}
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(widgetKind)
	err = ctrl.NewControllerManagedBy(manager).For(widget).Owns(&corev1.ConfigMap{}).Complete(&widgets{manager.GetClient()})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	defer func() {
		stop()
		<-ended
	}()
	api, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	one := widget.DeepCopy()
	one.SetName("one")
	one.SetNamespace("default")
	key := client.ObjectKey{Namespace: "default", Name: "one"}
	_ = unstructured.SetNestedField(one.Object, "blue", "spec", "color")
	eventually := func(done func() (bool, error)) func() error {
		return func() error {
			return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) { return done() })
		}
	}
	phase := func(phase string, generation int64) func() error {
		return eventually(func() (bool, error) {
			live := widget.DeepCopy()
			if err := api.Get(ctx, key, live); err != nil {
				return false, err
			}
			got, _, _ := unstructured.NestedString(live.Object, "status", "phase")
			seen, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
			return got == phase && seen == generation, nil
		})
	}
	return try(
		step{"create", func() error { return api.Create(ctx, one) }},
		step{"status", phase("blue", 1)},
		step{"its child goes and comes back", func() error {
			child := &corev1.ConfigMap{}
			if err := api.Get(ctx, key, child); err != nil {
				return err
			}
			old := child.UID
			if err := api.Delete(ctx, child); err != nil {
				return err
			}
			return eventually(func() (bool, error) {
				err := api.Get(ctx, key, child)
				return err == nil && child.UID != old, client.IgnoreNotFound(err)
			})()
		}},
		step{"change", func() error {
			if err := api.Get(ctx, key, one); err != nil {
				return err
			}
			before := one.DeepCopy()
			_ = unstructured.SetNestedField(one.Object, "red", "spec", "color")
			return api.Patch(ctx, one, client.MergeFrom(before))
		}},
		step{"status", phase("red", 2)},
		step{"delete", func() error { return api.Delete(ctx, one) }},
		step{"gone", eventually(func() (bool, error) {
			err := api.Get(ctx, key, widget.DeepCopy())
			return err != nil, client.IgnoreNotFound(err)
		})},
	)
}

type widgets struct{ client.Client }

const finalizer = "clients.example.test/hold"

func (r *widgets) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(widgetKind)
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.GetDeletionTimestamp() != nil {
		if controllerutil.RemoveFinalizer(widget, finalizer) {
			return ctrl.Result{}, r.Update(ctx, widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	color, _, _ := unstructured.NestedString(widget.Object, "spec", "color")
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"color": color}
		return controllerutil.SetControllerReference(widget, child, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	_ = unstructured.SetNestedField(widget.Object, color, "status", "phase")
	_ = unstructured.SetNestedField(widget.Object, widget.GetGeneration(), "status", "observedGeneration")
	return ctrl.Result{}, r.Status().Update(ctx, widget)
}

func widgetDefinition() *extensionsv1.CustomResourceDefinition {
	text := extensionsv1.JSONSchemaProps{Type: "string"}
	number := extensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	object := func(properties map[string]extensionsv1.JSONSchemaProps) extensionsv1.JSONSchemaProps {
		return extensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	whole := object(map[string]extensionsv1.JSONSchemaProps{
		"spec":   object(map[string]extensionsv1.JSONSchemaProps{"color": text}),
		"status": object(map[string]extensionsv1.JSONSchemaProps{"phase": text, "observedGeneration": number}),
	})
	plural, _ := meta.UnsafeGuessKindToResource(widgetKind)
	return &extensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural.Resource + "." + widgetKind.Group},
		Spec: extensionsv1.CustomResourceDefinitionSpec{
			Group: widgetKind.Group,
			Scope: extensionsv1.NamespaceScoped,
			Names: extensionsv1.CustomResourceDefinitionNames{Kind: widgetKind.Kind, ListKind: "WidgetList", Plural: plural.Resource, Singular: "widget"},
			Versions: []extensionsv1.CustomResourceDefinitionVersion{{
				Name: widgetKind.Version, Served: true, Storage: true,
				Schema:       &extensionsv1.CustomResourceValidation{OpenAPIV3Schema: &whole},
				Subresources: &extensionsv1.CustomResourceSubresources{Status: &extensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}
