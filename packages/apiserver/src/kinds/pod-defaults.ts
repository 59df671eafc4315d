// What the server fills into a pod or a pod template. Only the pod itself gets requests from limits, host ports and service links.
import type { JsonObject } from "../json.ts";
import { text } from "../json.ts";
import { child, each, fill, fillZero, given } from "./edit.ts";

/** Fills in a Pod. */
export function fillPod(pod: JsonObject): void {
  const spec = child(pod, "spec");
  fillPodSpec(spec);
  fill(spec, "enableServiceLinks", true);
  for (const container of [...each(spec, "containers"), ...each(spec, "initContainers")]) {
    requestLimits(container);
    if (spec["hostNetwork"] === true)
      for (const port of each(container, "ports")) fillZero(port, "hostPort", port["containerPort"] ?? 0);
  }
}

/** Fills in the `template` of a workload. */
export function fillPodTemplate(owner: JsonObject): void {
  fillPodSpec(child(child(owner, "template"), "spec"));
}

function fillPodSpec(spec: JsonObject): void {
  fillZero(spec, "dnsPolicy", "ClusterFirst");
  fillZero(spec, "restartPolicy", "Always");
  fill(spec, "terminationGracePeriodSeconds", 30);
  fillZero(spec, "schedulerName", "default-scheduler");
  child(spec, "securityContext");
  // Two names of one field; both are written.
  const account = text(spec["serviceAccountName"]) || text(spec["serviceAccount"]);
  if (account !== "") {
    spec["serviceAccountName"] = account;
    spec["serviceAccount"] = account;
  }
  for (const name of ["initContainers", "containers", "ephemeralContainers"])
    for (const container of each(spec, name)) fillContainer(container);
  for (const volume of each(spec, "volumes")) fillVolume(volume);
}

function fillContainer(container: JsonObject): void {
  fillZero(container, "terminationMessagePath", "/dev/termination-log");
  fillZero(container, "terminationMessagePolicy", "File");
  fillZero(container, "imagePullPolicy", pullPolicy(text(container["image"])));
  for (const port of each(container, "ports")) fillZero(port, "protocol", "TCP");
  for (const variable of each(container, "env")) {
    fillFieldRef(given(variable, "valueFrom"));
    const file = given(given(variable, "valueFrom"), "fileKeyRef");
    if (file !== undefined) fill(file, "optional", false);
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = given(container, name);
    if (probe !== undefined) fillProbe(probe);
  }
  const lifecycle = given(container, "lifecycle");
  fillHttpGet(given(lifecycle, "postStart"));
  fillHttpGet(given(lifecycle, "preStop"));
}

function fillProbe(probe: JsonObject): void {
  fillZero(probe, "timeoutSeconds", 1);
  fillZero(probe, "periodSeconds", 10);
  fillZero(probe, "successThreshold", 1);
  fillZero(probe, "failureThreshold", 3);
  fillHttpGet(probe);
  const grpc = given(probe, "grpc");
  if (grpc !== undefined) fill(grpc, "service", "");
}

function fillHttpGet(handler: JsonObject | undefined): void {
  const get = given(handler, "httpGet");
  if (get === undefined) return;
  fillZero(get, "path", "/");
  fillZero(get, "scheme", "HTTP");
}

function fillFieldRef(source: JsonObject | undefined): void {
  const reference = given(source, "fieldRef");
  if (reference !== undefined) fillZero(reference, "apiVersion", "v1");
}

/** The latest image is looked up every time; a tag or a digest is believed. */
function pullPolicy(image: string): string {
  // Without an image there is no tag either; the rules will say so.
  if (image === "") return "IfNotPresent";
  const last = image.slice(image.lastIndexOf("/") + 1);
  if (last.includes("@")) return "IfNotPresent";
  const colon = last.indexOf(":");
  const tag = colon < 0 ? "latest" : last.slice(colon + 1);
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function requestLimits(container: JsonObject): void {
  const resources = given(container, "resources");
  const limits = given(resources, "limits");
  if (resources === undefined || limits === undefined || Object.keys(limits).length === 0) return;
  resources["requests"] = { ...limits, ...given(resources, "requests") };
}

/** The defaults of volume sources, by their names. */
const sources: Readonly<Record<string, (source: JsonObject) => void>> = {
  secret: (source) => fill(source, "defaultMode", 420),
  configMap: (source) => fill(source, "defaultMode", 420),
  hostPath: (source) => fill(source, "type", ""),
  downwardAPI: (source) => {
    fill(source, "defaultMode", 420);
    for (const item of each(source, "items")) fillFieldRef(item);
  },
  projected: (source) => {
    fill(source, "defaultMode", 420);
    for (const part of each(source, "sources")) {
      const token = given(part, "serviceAccountToken");
      if (token !== undefined) fill(token, "expirationSeconds", 3600);
      for (const item of each(given(part, "downwardAPI"), "items")) fillFieldRef(item);
    }
  },
  iscsi: (source) => fillZero(source, "iscsiInterface", "default"),
  rbd: (source) => {
    fillZero(source, "pool", "rbd");
    fillZero(source, "user", "admin");
    fillZero(source, "keyring", "/etc/ceph/keyring");
  },
  azureDisk: (source) => {
    fill(source, "cachingMode", "ReadWrite");
    fill(source, "kind", "Shared");
    fill(source, "fsType", "ext4");
    fill(source, "readOnly", false);
  },
  scaleIO: (source) => {
    fillZero(source, "storageMode", "ThinProvisioned");
    fillZero(source, "fsType", "xfs");
  },
  ephemeral: (source) => {
    const claim = given(source, "volumeClaimTemplate");
    if (claim !== undefined) fill(child(claim, "spec"), "volumeMode", "Filesystem");
  },
  image: (source) => fillZero(source, "pullPolicy", pullPolicy(text(source["reference"]))),
};

/** The defaults of one volume of a pod, or of the source of a PersistentVolume. */
export function fillVolumeSource(volume: JsonObject): void {
  for (const [name, apply] of Object.entries(sources)) {
    const source = given(volume, name);
    if (source !== undefined) apply(source);
  }
}

function fillVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((name) => name === "name")) volume["emptyDir"] = {};
  fillVolumeSource(volume);
}
