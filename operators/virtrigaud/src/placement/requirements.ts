// What has to hold wherever a machine goes (3.5): its class is as safe as the policy wants, and its provider is where the policy
// wants it. Pure.
import { type SafeText, text } from "@telltale/status";
import type { Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../kinds/index.ts";
import type { Fit } from "./fit.ts";
import { affinityOf, some } from "./rules.ts";
import { regionLabel, zoneLabel } from "./terms.ts";

/** What the class lacks. */
export function secured(policy: VMPlacementPolicy | undefined, vmClass: VMClass | undefined): SafeText[] {
  const { requireSecureBoot, requireTPM, requireEncryptedStorage } = policy?.spec.securityConstraints ?? {};
  const { secureBoot, tpmEnabled, encryptionPolicy } = vmClass?.spec.securityProfile ?? {};
  const isEncrypted = encryptionPolicy?.enabled === true || encryptionPolicy?.requireEncryption === true;
  const name = vmClass?.metadata.name ?? "of the machine";
  const problems: SafeText[] = [];
  if (requireSecureBoot === true && secureBoot !== true) problems.push(text`the class ${name} has no secure boot`);
  if (requireTPM === true && tpmEnabled !== true) problems.push(text`the class ${name} has no TPM`);
  if (requireEncryptedStorage === true && !isEncrypted) problems.push(text`the class ${name} has no encrypted storage`);
  return problems;
}

/** What is wrong with the provider as the place: it is not chosen here, so it fits or does not. */
export function onProvider(
  vm: VirtualMachine,
  policy: VMPlacementPolicy | undefined,
  { metadata }: Provider,
  fit: Fit,
): SafeText[] {
  const { name = "", labels = {} } = metadata;
  const { hard } = policy?.spec ?? {};
  const { [zoneLabel]: zone, [regionLabel]: region } = labels;
  const problems: SafeText[] = [];
  const wanted = (what: string, list: readonly string[] | undefined, has: string | undefined): void => {
    if (list === undefined || (has !== undefined && list.includes(has))) return;
    problems.push(
      has === undefined
        ? text`${what}: provider ${name} has no label that tells`
        : text`${what}: the policy does not allow ${has}, where provider ${name} is`,
    );
  };
  wanted("zone", some(hard?.zones), zone);
  wanted("region", some(hard?.regions), region);
  const near = policy === undefined ? undefined : affinityOf(policy.spec, "zone");
  if (near?.isStrict === true) wanted("zone", near.names, zone);
  for (const [key, value] of Object.entries(hard?.nodeSelector ?? {})) {
    if (labels[key] !== value) problems.push(text`nodeSelector: provider ${name} lacks the label ${key}=${value}`);
  }
  const best = fit.best("zone", zone === undefined ? [] : [zone]);
  if (best.is === "none") problems.push(...best.why);
  return [...problems, ...offNetwork(vm, some(hard?.networks))];
}

/** A card that the template has is on a network that nobody here knows. */
function offNetwork({ spec }: VirtualMachine, allowed: readonly string[] | undefined): SafeText[] {
  if (allowed === undefined) return [];
  return (spec.networks ?? []).flatMap(({ networkRef }) => {
    const isAllowed = networkRef === undefined || allowed.includes(networkRef.name);
    return isAllowed ? [] : [text`networks: the policy does not allow ${networkRef.name}`];
  });
}
