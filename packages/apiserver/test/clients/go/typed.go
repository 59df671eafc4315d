package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func typed(ctx context.Context, config *rest.Config) error {
	return everyVerb(ctx, config, "go-typed")
}

// The same with every body in protobuf, and a proof that it was.
func protobuf(ctx context.Context, config *rest.Config) error {
	var sent, received atomic.Int64
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return through(func(request *http.Request) (*http.Response, error) {
			if strings.Contains(request.Header.Get("Content-Type"), "protobuf") {
				sent.Add(1)
			}
			answer, err := next.RoundTrip(request)
			if err == nil && strings.Contains(answer.Header.Get("Content-Type"), "protobuf") {
				received.Add(1)
			}
			return answer, err
		})
	})
	if err := everyVerb(ctx, config, "go-protobuf"); err != nil {
		return err
	}
	fmt.Printf("bodies in protobuf: %d sent, %d received\n", sent.Load(), received.Load())
	if sent.Load() == 0 {
		return fmt.Errorf("no body was sent in protobuf")
	}
	return nil
}

type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func everyVerb(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := inNamespace(ctx, client, namespace); err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	deployments := client.AppsV1().Deployments(namespace)
	return try(
		step{"create", func() error {
			for i := range 5 {
				made, err := maps.Create(ctx, configMap(fmt.Sprintf("m%d", i), "one"), metav1.CreateOptions{})
				if err != nil {
					return err
				}
				if made.UID == "" || made.ResourceVersion == "" || made.CreationTimestamp.IsZero() {
					return fmt.Errorf("the answer has no uid, version or time: %v", made.ObjectMeta)
				}
			}
			return nil
		}},
		step{"create what is there", func() error {
			_, err := maps.Create(ctx, configMap("m0", "one"), metav1.CreateOptions{})
			return want("AlreadyExists", apierrors.IsAlreadyExists(err), true)
		}},
		step{"get what is not there", func() error {
			_, err := maps.Get(ctx, "none", metav1.GetOptions{})
			return want("NotFound", apierrors.IsNotFound(err), true)
		}},
		step{"list in pages", func() error {
			names := []string{}
			options := metav1.ListOptions{Limit: 2, LabelSelector: "made-by=go"}
			for {
				page, err := maps.List(ctx, options)
				if err != nil {
					return err
				}
				for _, item := range page.Items {
					names = append(names, item.Name)
				}
				if options.Continue = page.Continue; options.Continue == "" {
					return want("the list", strings.Join(names, " "), "m0 m1 m2 m3 m4")
				}
			}
		}},
		step{"update with a stale version", func() error {
			live, err := maps.Get(ctx, "m0", metav1.GetOptions{})
			if err != nil {
				return err
			}
			stale := live.DeepCopy()
			live.Data["key"] = "two"
			live.BinaryData = map[string][]byte{"bytes": {0, 255, 128}}
			changed, err := maps.Update(ctx, live, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			if err := want("the bytes", string(changed.BinaryData["bytes"]), "\x00\xff\x80"); err != nil {
				return err
			}
			stale.Data["key"] = "three"
			_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
			return want("Conflict", apierrors.IsConflict(err), true)
		}},
		step{"apply, and a conflict", func() error {
			apply := func(manager, value string) error {
				wanted := applycore.ConfigMap("applied", namespace).WithData(map[string]string{"key": value})
				_, err := maps.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: manager})
				return err
			}
			if err := apply("one", "a"); err != nil {
				return err
			}
			if err := apply("two", "b"); !apierrors.IsConflict(err) {
				return fmt.Errorf("no conflict but %v", err)
			}
			live, err := maps.Get(ctx, "applied", metav1.GetOptions{})
			if err != nil {
				return err
			}
			own, err := applycore.ExtractConfigMap(live, "one")
			if err != nil {
				return err
			}
			return want("what one applied", own.Data["key"], "a")
		}},
		step{"patch in three ways", func() error {
			patches := []struct {
				kind types.PatchType
				body string
			}{
				{types.JSONPatchType, `[{"op":"replace","path":"/data/key","value":"json"}]`},
				{types.MergePatchType, `{"data":{"key":"merge"}}`},
				{types.StrategicMergePatchType, `{"data":{"key":"strategic"}}`},
			}
			for _, patch := range patches {
				changed, err := maps.Patch(ctx, "m1", patch.kind, []byte(patch.body), metav1.PatchOptions{})
				if err != nil {
					return err
				}
				if !strings.Contains(patch.body, changed.Data["key"]) {
					return fmt.Errorf("%s gave %s", patch.kind, changed.Data["key"])
				}
			}
			return nil
		}},
		step{"deployment, its status and its scale", func() error {
			made, err := deployments.Create(ctx, deployment("web"), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if err := want("the strategy", made.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType); err != nil {
				return err
			}
			if err := want("maxSurge", made.Spec.Strategy.RollingUpdate.MaxSurge.String(), "25%"); err != nil {
				return err
			}
			if err := want("cpu", made.Spec.Template.Spec.Containers[0].Resources.Limits.Cpu().String(), "1500m"); err != nil {
				return err
			}
			made.Status.ReadyReplicas = 2
			made.Status.Replicas = 2
			written, err := deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			if err := want("ready", written.Status.ReadyReplicas, 2); err != nil {
				return err
			}
			return retry.RetryOnConflict(retry.DefaultRetry, func() error {
				scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
				if err != nil {
					return err
				}
				if err := want("the scale's replicas", scale.Status.Replicas, 2); err != nil {
					return err
				}
				scale.Spec.Replicas = 5
				scaled, err := deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
				if err != nil {
					return err
				}
				return want("the scale", scaled.Spec.Replicas, 5)
			})
		}},
		step{"watch", func() error {
			list, err := maps.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			watcher, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
			if err != nil {
				return err
			}
			defer watcher.Stop()
			if err := maps.Delete(ctx, "m4", metav1.DeleteOptions{}); err != nil {
				return err
			}
			event := <-watcher.ResultChan()
			return want("the event", fmt.Sprintf("%s %s", event.Type, event.Object.(*corev1.ConfigMap).Name), "DELETED m4")
		}},
		step{"reviews and tokens", func() error {
			me, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if err := want("my name", me.Status.UserInfo.Username, "admin"); err != nil {
				return err
			}
			question := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: "pods"},
			}}
			review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, question, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if err := want("allowed", review.Status.Allowed, true); err != nil {
				return err
			}
			accounts := client.CoreV1().ServiceAccounts(namespace)
			if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
				return err
			}
			token, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			checked, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			return want("the token's user", checked.Status.User.Username, "system:serviceaccount:"+namespace+":robot")
		}},
		step{"delete many", func() error {
			if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "made-by=go"}); err != nil {
				return err
			}
			left, err := maps.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			return want("what is left", len(left.Items), 1)
		}},
		step{"discovery", func() error {
			if _, err := client.Discovery().ServerVersion(); err != nil {
				return err
			}
			_, lists, err := client.Discovery().ServerGroupsAndResources()
			if err != nil {
				return err
			}
			if len(lists) < 15 {
				return fmt.Errorf("only %d groups and versions", len(lists))
			}
			_, err = client.Discovery().OpenAPISchema()
			return err
		}},
	)
}
