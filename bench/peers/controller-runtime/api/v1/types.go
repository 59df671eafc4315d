// Package v1 holds the kinds of the bench: a Widget, and the Shelf that owns widgets.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the one that the harness installs.
var GroupVersion = schema.GroupVersion{Group: "bench.telltale.dev", Version: "v1"}

// AddToScheme makes the kinds known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Widget{}, &WidgetList{}, &Shelf{}, &ShelfList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// Part is a piece of a widget.
type Part struct {
	Name   string `json:"name"`
	Colour string `json:"colour"`
	Weight int32  `json:"weight"`
}

// WidgetSpec is what is wanted.
type WidgetSpec struct {
	Size     int32             `json:"size"`
	Image    string            `json:"image"`
	Parts    []Part            `json:"parts,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// WidgetStatus is what was seen.
type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Widget is the kind whose status is derived from its spec.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

// WidgetList is a list of widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Widget `json:"items"`
}

// ShelfSpec is what is wanted.
type ShelfSpec struct {
	Room string `json:"room"`
}

// ShelfStatus sums up the widgets on the shelf.
type ShelfStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Widgets            int32              `json:"widgets"`
	Ready              int32              `json:"ready"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Shelf is the parent of widgets.
type Shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShelfSpec   `json:"spec"`
	Status ShelfStatus `json:"status,omitempty"`
}

// ShelfList is a list of shelves.
type ShelfList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Shelf `json:"items"`
}
