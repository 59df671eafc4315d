package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// A validating webhook of controller-runtime, served here on loopback.
func webhook(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := inNamespace(ctx, client, "go-webhook"); err != nil {
		return err
	}
	certificate, ca, err := selfSigned()
	if err != nil {
		return err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		return err
	}
	defer listener.Close()
	decoder := admission.NewDecoder(scheme.Scheme)
	hook := &admission.Webhook{Handler: admission.HandlerFunc(func(_ context.Context, request admission.Request) admission.Response {
		made := &corev1.ConfigMap{}
		if err := decoder.Decode(request, made); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if made.Data["key"] == "bad" {
			return admission.Denied("the key must not be bad")
		}
		return admission.Allowed("").WithWarnings("looked at " + made.Name)
	})}
	go func() { _ = http.Serve(listener, hook) }()

	url := fmt.Sprintf("https://%s/validate", listener.Addr())
	none := admissionv1.SideEffectClassNone
	configuration := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "go-webhook"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "maps.clients.example.test",
			ClientConfig:            admissionv1.WebhookClientConfig{URL: &url, CABundle: ca},
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             &none,
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "go-webhook"}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
	hooks := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	warned := &warnings{}
	quiet := rest.CopyConfig(config)
	quiet.WarningHandler = warned
	heard, err := kubernetes.NewForConfig(quiet)
	if err != nil {
		return err
	}
	maps := heard.CoreV1().ConfigMaps("go-webhook")
	return try(
		step{"configure", func() error {
			_, err := hooks.Create(ctx, configuration, metav1.CreateOptions{})
			return err
		}},
		step{"denied", func() error {
			_, err := maps.Create(ctx, configMap("one", "bad"), metav1.CreateOptions{})
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "the key must not be bad") {
				return fmt.Errorf("not denied but %v", err)
			}
			return nil
		}},
		step{"allowed, with a warning", func() error {
			if _, err := maps.Create(ctx, configMap("two", "good"), metav1.CreateOptions{}); err != nil {
				return err
			}
			return want("the warnings", strings.Join(warned.heard, ","), "looked at two")
		}},
		step{"remove", func() error { return hooks.Delete(ctx, "go-webhook", metav1.DeleteOptions{}) }},
		step{"no longer asked", func() error {
			_, err := maps.Create(ctx, configMap("three", "bad"), metav1.CreateOptions{})
			return err
		}},
	)
}

type warnings struct{ heard []string }

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { w.heard = append(w.heard, text) }

func selfSigned() (tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "webhook of a test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, ca, nil
}
