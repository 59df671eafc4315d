// What is said of the single parts of a control plane: network, Secret, endpoint, kubeconfig, certificate, rollout. Unknown:
// it is not looked at yet. False: it is waited for. Pure.
import { text } from "@telltale/status";
import { formatEndpoint } from "../endpoint.ts";
import { caSecretName, kubeconfigApplyName, kubeconfigSecretName } from "../names.ts";
import { isPretended, nothingReal, placeText } from "../provider/words.ts";
import { workspaceConditions } from "../workspace-conditions.ts";
import type { EndpointChoice } from "./endpoint-choice.ts";
import { rolloutOf } from "./rollout.ts";
import { type PlaneSaid, say } from "./say.ts";
import { clusterNameOf, isInitialized, type World } from "./world.ts";

export function partsSaid(world: World, endpoint: EndpointChoice): readonly PlaneSaid[] {
  const { it, chain } = world;
  return [
    infrastructureSaid(world),
    ...workspaceConditions(chain, isInitialized(it)),
    rolloutSaid(world),
    secretSaid(world, endpoint),
    endpointSaid(world, endpoint),
    kubeconfigSaid(world, endpoint),
    certificateSaid(world),
  ];
}

/** Whether the outputs are looked at: also while runs fail, as long as what the last good one left is taken to be there. */
export const isOpen = ({ it, chain }: World): boolean =>
  chain.class === "Available" || (chain.class === "Degraded" && isInitialized(it));

export function infrastructureSaid({ infrastructure, chain, it }: World): PlaneSaid<"InfrastructureReady"> {
  if (infrastructure.is === "none") {
    return say("InfrastructureReady", "True", "NoInfrastructureRef", text`Cluster has no infrastructureRef`);
  }
  const { named } = infrastructure;
  if (infrastructure.is === "ready" && infrastructure.unready === undefined) {
    return infrastructure.isSimulated === true
      ? say("InfrastructureReady", "True", "Simulated", text`${named}: ${nothingReal}`)
      : say("InfrastructureReady", "True", "InfrastructureReady", text`${named} is ready`);
  }
  // It was there once: trouble with it now is told, and neither pushes the control plane back nor lets the network's clock run.
  if (infrastructure.is === "ready" || chain.apply !== undefined || isInitialized(it)) {
    return laterSaid(infrastructure, isInitialized(it));
  }
  if (infrastructure.is === "waiting" && infrastructure.noRunner !== undefined) {
    return say("InfrastructureReady", "Unknown", "NoRunner", infrastructure.noRunner);
  }
  return infrastructure.is === "failed"
    ? say("InfrastructureReady", "False", "InfrastructureFailed", text`${named} failed: ${infrastructure.token}`)
    : say("InfrastructureReady", "False", "WaitingForVPC", text`waiting for ${named} to become ready`);
}

function laterSaid(
  infrastructure: Exclude<World["infrastructure"], { is: "none" }>,
  isOver: boolean,
): PlaneSaid<"InfrastructureReady"> {
  const { named } = infrastructure;
  const said = "unready" in infrastructure ? infrastructure.unready : undefined;
  const status = isOver && said?.status !== "Unknown" ? "False" : "Unknown";
  if (infrastructure.is === "failed") {
    return isOver
      ? say("InfrastructureReady", "False", "InfrastructureFailed", text`${named} failed: ${infrastructure.token}`)
      : say("InfrastructureReady", "Unknown", "InfrastructureNotReady", text`${named} failed: ${infrastructure.token}`);
  }
  const message = said === undefined ? text`${named} is not ready` : text`${named}: ${said.message}`;
  return { type: "InfrastructureReady", status, reason: "InfrastructureNotReady", message };
}

/** Its own runs, or those of its network. */
export const isSimulated = ({ chain, infrastructure }: World): boolean =>
  isPretended(chain) || (infrastructure.is === "ready" && infrastructure.isSimulated === true);

function secretSaid(world: World, endpoint: EndpointChoice): PlaneSaid {
  const { chain } = world;
  const place = placeText(chain.secretPlace);
  if (!isOpen(world)) {
    return say("ConnectionSecretReady", "Unknown", "WorkspaceNotReady", text`the workspace is not available`);
  }
  if (chain.secret === undefined) {
    return say("ConnectionSecretReady", "False", "WaitingForSecret", text`Secret ${place} not found yet`);
  }
  return endpoint.is === "found"
    ? say("ConnectionSecretReady", "True", "SecretFound", text`Secret ${place} is there`)
    : say("ConnectionSecretReady", "False", "KeyMissing", text`Secret ${place} has no endpoint`);
}

function endpointSaid(world: World, endpoint: EndpointChoice): PlaneSaid {
  const { chain } = world;
  const place = placeText(chain.secretPlace);
  if (!isOpen(world) || chain.secret === undefined) {
    return say("EndpointReady", "Unknown", "WorkspaceNotReady", text`the workspace is not available`);
  }
  if (endpoint.is === "none") {
    const name = chain.workspaceName ?? "";
    const message = text`no endpoint in Secret ${place} nor in the outputs of workspace ${name}`;
    return say("EndpointReady", "False", "EndpointNotReady", message);
  }
  if (endpoint.is === "invalid") {
    const message = text`key ${endpoint.key} of Secret ${place} is not a valid endpoint`;
    return say("EndpointReady", "False", "InvalidEndpoint", message);
  }
  const by = endpoint.by === "cluster" ? "ClusterEndpointUsed" : "EndpointProvided";
  return say("EndpointReady", "True", by, text`${formatEndpoint(endpoint.endpoint)}`);
}

export function kubeconfigSaid(world: World, endpoint: EndpointChoice): PlaneSaid<"KubeconfigReady"> {
  const { it, chain, credentials } = world;
  if (!isOpen(world) || chain.secret === undefined || endpoint.is !== "found") {
    return say("KubeconfigReady", "Unknown", "EndpointNotReady", text`the endpoint is not known yet`);
  }
  const target = `${it.metadata.namespace}/${kubeconfigSecretName(clusterNameOf(world))}`;
  const { kubeconfig, kubeconfigSecret: there } = credentials;
  const invalid = (place: string, rule: string) =>
    say("KubeconfigReady", "False", "InvalidKubeconfig", text`kubeconfig in Secret ${place} is invalid: ${rule}`);
  if (there.is === "foreign") {
    return there.hasValue
      ? say("KubeconfigReady", "True", "UserProvided", text`Secret ${target} is managed by someone else`)
      : invalid(target, "key value is missing");
  }
  if (kubeconfig.is === "invalid") return invalid(kubeconfig.place, kubeconfig.rule);
  if (there.is === "ours" && there.isCurrent) {
    return say("KubeconfigReady", "True", "KubeconfigWritten", text`Secret ${target} is up to date`);
  }
  const apply = kubeconfigApplyName(it.metadata.name ?? "");
  const more = world.kubeconfigTemplate === undefined ? "" : `; waiting for WorkspaceTemplateApply ${apply}`;
  const message = text`no kubeconfig in Secret ${kubeconfig.place}${more}`;
  return say("KubeconfigReady", "False", "WaitingForKubeconfig", message);
}

function certificateSaid(world: World): PlaneSaid {
  const { it, chain, credentials } = world;
  const { certificate, certificateSecret } = credentials;
  if (!isOpen(world) || chain.secret === undefined) {
    return say("CertificatesAvailable", "Unknown", "WorkspaceNotReady", text`the workspace is not available`);
  }
  const target = `${it.metadata.namespace}/${caSecretName(clusterNameOf(world))}`;
  if (certificate.is === "absent") {
    return say("CertificatesAvailable", "True", "NotProvided", text`no certificate in Secret ${certificate.place}`);
  }
  if (certificate.is === "invalid") {
    return say(
      "CertificatesAvailable",
      "False",
      "InvalidCertificate",
      text`Secret ${certificate.place}: ${certificate.rule}`,
    );
  }
  if (!isPublished(certificateSecret)) {
    return say("CertificatesAvailable", "False", "WaitingForCertificate", text`Secret ${target} is not written yet`);
  }
  const whose = certificateSecret.is === "foreign" ? "is managed by someone else" : "is up to date";
  return say("CertificatesAvailable", "True", "CertificateWritten", text`Secret ${target} ${whose}`);
}

const isPublished = (there: World["credentials"]["certificateSecret"]): boolean =>
  there.is === "foreign" || (there.is === "ours" && there.isCurrent);

/** Whether both Secrets were really written, as far as there is something to write (CP-7). */
export function areSecretsReady(world: World, endpoint: EndpointChoice): boolean {
  const { certificate, certificateSecret: there } = world.credentials;
  const isCertified = certificate.is === "absent" || (certificate.is === "valid" && isPublished(there));
  return kubeconfigSaid(world, endpoint).status === "True" && isCertified;
}

function rolloutSaid(world: World): PlaneSaid {
  const { is, applied = "", wanted = "" } = rolloutOf(world);
  if (is === "refused") {
    const { spec, status } = world.it;
    const message = text`spec.version ${spec.version} is lower than running version ${status?.version ?? ""}`;
    return say("RollingOut", "False", "VersionDowngradeRefused", message);
  }
  return is === "rolling"
    ? say("RollingOut", "True", "RollingOut", text`changing from revision ${applied} to ${wanted}`)
    : say("RollingOut", "False", "NotRollingOut", text`not rolling out`);
}
