// Whether a Bind9Instance can be built as it stands, with what it takes from its cluster. No pod is built before it can.
import { text } from "@telltale/status";
import { endpointOf } from "../bindcar/address.ts";
import { Bind9Instance, type Bind9InstanceSpec } from "../kinds/bind9-instance.ts";
import { nameLimits } from "../names.ts";
import { bindcarProblems } from "./bindcar.ts";
import { nameProblems } from "./cluster.ts";
import { type ImageRules, imageProblems, versionProblems } from "./images.ts";
import { keyProblems, secretRefProblems } from "./keys.ts";
import { optionProblems } from "./options.ts";
import { type Checked, checked, each, type Problem, unless } from "./problem.ts";
import { volumeProblems } from "./volumes.ts";

/** The instance by itself. */
export function checkInstance(instance: Bind9Instance, rules: ImageRules): Checked<Bind9InstanceSpec> {
  return checked(Bind9Instance, instance, function* (spec) {
    yield* nameProblems(instance.metadata.name, nameLimits.instance);
    yield* specProblems(spec, rules);
  });
}

function* specProblems(spec: Bind9InstanceSpec, rules: ImageRules): Iterable<Problem> {
  yield* versionProblems("spec.version", spec.version);
  yield* imageProblems("spec.image.image", spec.image?.image, rules);
  yield* optionProblems("spec.config", spec.config, rules);
  yield* each("spec.primaryServers", spec.primaryServers, (server, path) =>
    unless(endpointOf(server) !== undefined, path, text`is neither an address nor an address with a port`),
  );
  yield* volumeProblems(spec);
  yield* secretRefProblems("spec.rndcSecretRef", spec.rndcSecretRef);
  yield* keyProblems("spec.rndcKey", spec.rndcKey);
  yield* bindcarProblems("spec.bindcarConfig", spec.bindcarConfig, rules);
  yield* storageProblems(spec);
}

function* storageProblems({ storage, replicas = 1 }: Bind9InstanceSpec): Iterable<Problem> {
  if (storage?.storageType !== "persistentVolumeClaim") return;
  const path = "spec.storage.persistentVolumeClaim.claimName";
  const isNamed = storage.persistentVolumeClaim?.claimName !== undefined;
  yield* unless(isNamed, path, text`is required where storageType is persistentVolumeClaim`);
  yield* unless(replicas <= 1, path, text`is for one pod, and spec.replicas is more`);
}
