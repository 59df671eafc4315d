package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "telltale.dev/bench/controller-runtime/api/v1"
)

// byOwner is the index of widgets by the shelf that owns them.
const byOwner = ".metadata.controller"

// shelves sums up the widgets of each shelf.
type shelves struct {
	client.Client
	write writer
	count *counter
}

func (r *shelves) setup(ctx context.Context, mgr ctrl.Manager, workers int) error {
	owner := func(object client.Object) []string {
		if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "Shelf" {
			return []string{owner.Name}
		}
		return nil
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1.Widget{}, byOwner, owner); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Shelf{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&v1.Widget{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

func (r *shelves) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer r.count.up()
	var shelf v1.Shelf
	if err := r.Get(ctx, req.NamespacedName, &shelf); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var children v1.WidgetList
	if err := r.List(ctx, &children, client.InNamespace(req.Namespace), client.MatchingFields{byOwner: req.Name}); err != nil {
		return ctrl.Result{}, err
	}
	before := shelf.DeepCopy()
	sumUp(&shelf, children.Items)
	if equality.Semantic.DeepEqual(before.Status, shelf.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.write(ctx, r.Client, before, &shelf)
}

func sumUp(shelf *v1.Shelf, children []v1.Widget) {
	ready, total := 0, len(children)
	for i := range children {
		if meta.IsStatusConditionTrue(children[i].Status.Conditions, "Ready") {
			ready++
		}
	}
	condition := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, ObservedGeneration: shelf.Generation}
	switch {
	case total == 0:
		condition.Reason, condition.Message = "NoChildren", "No widgets found for this shelf"
	case ready == total:
		condition.Status = metav1.ConditionTrue
		condition.Reason, condition.Message = "AllReady", fmt.Sprintf("All %d widgets are ready", total)
	case ready > 0:
		condition.Reason, condition.Message = "PartiallyReady", fmt.Sprintf("%d/%d widgets are ready", ready, total)
	default:
		condition.Reason, condition.Message = "NotReady", "No widgets are ready"
	}
	shelf.Status.ObservedGeneration = shelf.Generation
	shelf.Status.Widgets, shelf.Status.Ready = int32(total), int32(ready)
	meta.SetStatusCondition(&shelf.Status.Conditions, condition)
}
