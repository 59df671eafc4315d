// What a pass can do for a clone, one function each. What the provider refuses becomes part of the world.
import { formatTime } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { EffectRecord } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Request } from "../contract/contract.ts";
import { deadlines } from "../link/deadlines.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations } from "../names.ts";
import { cloneClassJson, customizeJson } from "../payload/clone.ts";
import { placementPayload } from "../payload/placement.ts";
import { type CloneHands, callName, hearing, linkOf, type Outcome } from "./act.ts";
import { bind } from "./bind.ts";
import { copyOp } from "./decide.ts";
import { binding } from "./status.ts";
import type { Deed } from "./step.ts";
import { hostName, typeOf } from "./target.ts";
import type { World } from "./world.ts";

export type Deeds = {
  readonly [D in Deed["is"]]: (deed: Extract<Deed, { is: D }>, world: World, hands: CloneHands) => Promise<World>;
};

export const deeds: Deeds = {
  async renew(_deed, world, hands) {
    // A copy that is there stays: only what came after it is tried again.
    const isCopied = world.told.cloning?.reason === "Completed";
    const { targetVMID, actualCloneType } = world.held;
    const kept = isCopied ? { ...(targetVMID && { targetVMID }), ...(actualCloneType && { actualCloneType }) } : {};
    const told = {
      ...world.told,
      phase: undefined,
      ready: undefined,
      cloning: isCopied ? world.told.cloning : undefined,
      customizing: undefined,
    };
    return { ...world, told, held: { startTime: formatTime(hands.now), ...kept } };
  },

  async copy({ isRetry }, world, hands) {
    const request = await requestOf(world, hands);
    if ("lacking" in request) return hearing(world, { lacking: request.lacking });
    const link = linkOf(world);
    await notePlace(world, hands);
    let record: EffectRecord | undefined;
    await hands.once({
      op: copyOp,
      probe: async () => "none", // the table has looked already
      async call(it) {
        record = it;
        hands.call<Outcome>(callName(it.attempt), async (signal) => {
          try {
            const options = { deadline: deadlines.clone, signal, isLong: true };
            return { is: "answered", answer: await link.ask("clone", request.request, options) };
          } catch (error) {
            if (error instanceof ProviderError) return { is: "refused", error };
            throw error;
          }
        });
      },
      goesOn: () => true,
    });
    const { retryCount = 0 } = world.held;
    const again = isRetry ? { retryCount: retryCount + 1, lastRetryTime: formatTime(hands.now) } : {};
    const { progress: _old, ...held } = world.held;
    return hearing(
      { ...world, record, held: { ...held, ...again, actualCloneType: typeOf(world.clone) } },
      { isSent: true },
    );
  },

  async own({ id }, world) {
    const { taskRef: _done, ...held } = world.held;
    return { ...world, record: undefined, held: { actualCloneType: typeOf(world.clone), ...held, targetVMID: id } };
  },

  async drop(_deed, world) {
    const { taskRef: _task, targetVMID: _id, ...held } = world.held;
    const { task: _forgotten, listed: _listed, ...heard } = world.heard;
    return { ...world, held, heard };
  },

  async bind(_deed, world, hands) {
    // What it is called is stored before it gets its object: whoever comes after a crash, or a refusal, knows the copy for its own.
    if (world.clone.status?.targetVMID === world.held.targetVMID) return bind(world, hands);
    await hands.checkpoint("copied", (draft) => binding(world, draft));
    return bind({ ...world, told: { ...world.told, phase: "Cloning", cloning: undefined } }, hands);
  },
};

/** Before the request: whoever comes after a crash, and everyone who places, knows from then on where the copy goes. */
async function notePlace({ placing, channel, clone }: World, hands: CloneHands): Promise<void> {
  if (placing?.is !== "placed" || channel.provider === undefined) return;
  const { namespace = "", name = "" } = channel.provider.metadata;
  if (clone.metadata.annotations?.[annotations.placement] === placing.decision) return;
  await hands.annotate({
    [annotations.placement]: placing.decision,
    [annotations.placementProvider]: `${namespace}/${name}`,
  });
}

/** Put together when it is sent, with Secrets as they are at this moment: it is kept nowhere. */
async function requestOf(
  world: World,
  hands: CloneHands,
): Promise<{ readonly request: Request<"clone"> } | { readonly lacking: SafeText }> {
  const { clone, source, vmClass, placing } = world;
  if (source.is !== "machine") throw new Error("there is nothing to copy");
  const { customization, options } = clone.spec;
  let customized = "";
  if (customization !== undefined) {
    const { namespace = "" } = clone.metadata;
    const secrets = new Map<string, Readonly<Record<string, string>>>();
    for (const name of secretsOf(customization)) {
      const found = await hands.live(Secret, { namespace, name });
      if (found !== undefined) secrets.set(name, found.data ?? {});
    }
    const rendered = customizeJson(customization, (name) => secrets.get(name));
    if ("lacking" in rendered) return { lacking: rendered.lacking };
    customized = rendered.json.reveal();
  }
  const { datastore, folder } = options?.storage ?? {};
  const asked = { ...(datastore && { datastore }), ...(folder && { folder }) };
  const placement = placementPayload(asked, placing?.is === "placed" ? placing.at : undefined);
  return {
    request: {
      sourceVmId: source.id,
      sourceSnapshotId: source.snapshotId,
      targetName: hostName(clone),
      linked: options?.type === "LinkedClone",
      classJson: vmClass.is === "there" ? cloneClassJson(vmClass.object.spec) : "",
      placementJson: placement === null ? "" : JSON.stringify(placement),
      customizeJson: customized,
    },
  };
}

function secretsOf({
  userData,
  sysprep,
  certificates = [],
}: NonNullable<World["clone"]["spec"]["customization"]>): readonly string[] {
  const refs = [
    userData?.cloudInit?.secretRef,
    userData?.ignition?.secretRef,
    sysprep?.adminPassword?.secretRef,
    sysprep?.joinDomain?.password.secretRef,
    ...certificates.map(({ secretRef }) => secretRef),
  ];
  return [...new Set(refs.flatMap((ref) => (ref === undefined ? [] : [ref.name])))];
}
