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

// largest is the greatest size that counts as sized.
const largest = 1_000_000

// widgets derives the status of each widget from its spec, and does nothing else.
type widgets struct {
	client.Client
	write writer
	count *counter
}

func (r *widgets) setup(mgr ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

func (r *widgets) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer r.count.up()
	var widget v1.Widget
	if err := r.Get(ctx, req.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := widget.DeepCopy()
	observe(&widget)
	if equality.Semantic.DeepEqual(before.Status, widget.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.write(ctx, r.Client, before, &widget)
}

func observe(widget *v1.Widget) {
	size, weight := widget.Spec.Size, int32(0)
	for _, part := range widget.Spec.Parts {
		weight += part.Weight
	}
	widget.Status.ObservedGeneration = widget.Generation
	set := func(kind string, holds bool, yes, no, message string) {
		condition := metav1.Condition{
			Type: kind, Status: metav1.ConditionTrue, Reason: yes, Message: message, ObservedGeneration: widget.Generation,
		}
		if !holds {
			condition.Status, condition.Reason = metav1.ConditionFalse, no
		}
		meta.SetStatusCondition(&widget.Status.Conditions, condition)
	}
	set("Ready", size <= largest, "Made", "Refused", fmt.Sprintf("The widget of size %d is made", size))
	set("Accepted", true, "Valid", "Invalid", "The spec is valid")
	set("Sized", size <= largest, "Fits", "TooLarge", fmt.Sprintf("Size %d of at most %d", size, largest))
	set("Stocked", len(widget.Spec.Parts) > 0, "InStock", "NoParts",
		fmt.Sprintf("%d parts weigh %d together", len(widget.Spec.Parts), weight))
	set("Balanced", size%2 == 0, "Even", "Odd", fmt.Sprintf("Size %d leaves %d over", size, size%2))
}
