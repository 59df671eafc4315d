// Whether a Bind9Cluster or a Bind9GlobalCluster can be built as it stands. Nothing is changed in the cluster before it can.
import { text } from "@telltale/status";
import type { Config } from "../config.ts";
import { Bind9Cluster, type Bind9ClusterSpec } from "../kinds/bind9-cluster.ts";
import { Bind9GlobalCluster, type Bind9GlobalClusterSpec } from "../kinds/bind9-global-cluster.ts";
import { nameLimits, namePattern } from "../names.ts";
import { aclNameProblems, aclProblems } from "./acl.ts";
import { type ImageRules, imageProblems, versionProblems } from "./images.ts";
import { keyProblems, secretRefProblems } from "./keys.ts";
import { annotationProblems, labelProblems } from "./labels.ts";
import { optionProblems } from "./options.ts";
import { type Checked, checked, each, type Problem, unless } from "./problem.ts";
import { volumeProblems } from "./volumes.ts";

export function checkCluster(cluster: Bind9Cluster, rules: ImageRules): Checked<Bind9ClusterSpec> {
  return checked(Bind9Cluster, cluster, function* (spec) {
    yield* nameProblems(cluster.metadata.name, nameLimits.cluster);
    yield* commonProblems(spec, rules);
  });
}

type GlobalRules = ImageRules & Pick<Config, "namespaces" | "operatorNamespace">;

export function checkGlobalCluster(cluster: Bind9GlobalCluster, rules: GlobalRules): Checked<Bind9GlobalClusterSpec> {
  return checked(Bind9GlobalCluster, cluster, function* (spec) {
    yield* nameProblems(cluster.metadata.name, nameLimits.cluster);
    yield* targetProblems(spec, rules);
    yield* commonProblems(spec, rules);
  });
}

/** The namespaces of a global cluster, each once (3.1). */
export function targetNamespaces(
  { namespace, namespaces = [] }: Pick<Bind9GlobalClusterSpec, "namespace" | "namespaces">,
  { operatorNamespace }: Pick<Config, "operatorNamespace">,
): readonly string[] {
  const named = [...new Set([...(namespace === undefined ? [] : [namespace]), ...namespaces])];
  return named.length > 0 ? named : [operatorNamespace];
}

/** An operator that works in some namespaces only cannot look after a cluster in others. */
function* targetProblems(spec: Bind9GlobalClusterSpec, rules: GlobalRules): Iterable<Problem> {
  const { namespaces: watched } = rules;
  if (watched === undefined) return;
  for (const target of targetNamespaces(spec, rules)) {
    const path = target === spec.namespace ? "spec.namespace" : "spec.namespaces";
    yield* unless(watched.includes(target), path, text`names ${target}, a namespace that this operator does not watch`);
  }
}

/** It becomes the name of a Service, and that is the name of a host. */
export function* nameProblems(name: string | undefined, most: number): Iterable<Problem> {
  const given = name ?? "";
  yield* unless(given.length <= most, "metadata.name", text`has more than ${most} characters`);
  const isName = new RegExp(namePattern).test(given);
  yield* unless(isName, "metadata.name", text`is not a letter followed by lower case letters, digits and '-'`);
}

function* commonProblems(spec: Bind9ClusterSpec, rules: ImageRules): Iterable<Problem> {
  yield* versionProblems("spec.version", spec.version);
  for (const role of ["primary", "secondary"] as const) yield* roleProblems(`spec.${role}`, spec[role]);
  yield* imageProblems("spec.image.image", spec.image?.image, rules);
  yield* optionProblems("spec.global", spec.global, rules);
  yield* each("spec.rndcSecretRefs", spec.rndcSecretRefs, (ref, path) => secretRefProblems(path, ref));
  yield* aclNameProblems("spec.acls", Object.keys(spec.acls ?? {}));
  for (const [name, entries] of Object.entries(spec.acls ?? {})) yield* aclProblems(`spec.acls.${name}`, entries);
  yield* volumeProblems(spec);
}

function* roleProblems(path: string, role: Bind9ClusterSpec["primary"]): Iterable<Problem> {
  if (role === undefined) return;
  yield* labelProblems(`${path}.labels`, role.labels);
  yield* annotationProblems(`${path}.service.annotations`, role.service?.annotations);
  yield* aclProblems(`${path}.allowTransfer`, role.allowTransfer);
  yield* secretRefProblems(`${path}.rndcSecretRef`, role.rndcSecretRef);
  yield* keyProblems(`${path}.rndcKey`, role.rndcKey);
}
