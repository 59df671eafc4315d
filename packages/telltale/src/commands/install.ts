// `telltale install` and `telltale uninstall`: an operator's manifests brought to a cluster by server-side apply, and taken away.
import { type Client, isNotFound } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import { CustomResourceDefinition, Namespace } from "@telltale/kinds/builtin";
import { applyAll, removeAll } from "../install/apply.ts";
import { isForeign, isOurs, type ManifestOptions, manifestsOf } from "../install/manifests.ts";
import { jsonOf, yamlOf } from "../install/print.ts";
import type { Operator } from "../operators/operator.ts";
import { chosen } from "../operators/table.ts";
import type { Call, Run } from "../program/command.ts";
import { connected } from "../program/connect.ts";
import { exit, misused, Problem } from "../program/problem.ts";
import { assertNoOther } from "../run/other-controllers.ts";
import { installOptions } from "./manifests.ts";

export const install: Run = async (call) => {
  const operators = await namedIn(call);
  const all = operators.map((operator) => ({ operator, objects: manifestsOf(operator, optionsFor(call, operator)) }));
  if (call.flags.has("dry-run")) {
    const objects = all.flatMap(({ objects: its }) => its);
    call.out.write(call.flags.has("json") ? `${jsonOf(objects)}\n` : yamlOf(objects));
    return exit.well;
  }
  return connected(call, async ({ client }) => {
    for (const { operator, objects } of all) {
      const options = installOptions(call, operator);
      const warn = (message: string) => call.err.line(`${operator.name}: ${message}`);
      const takeOver = call.flags.has("take-over");
      await assertNoOther(client, operator, { ...options, now: call.clock.now(), takeOver, warn });
      const left = await belongingToOthers(client, operator, objects);
      const going = objects.filter((object) => !left.includes(object));
      for (const { kind, metadata } of left) call.err.line(`${kind} ${metadata?.name} is there already: left alone`);
      const onApplied = telling(call, going.length);
      await applyAll(going, { client, clock: call.clock, signal: call.signal, onApplied });
    }
    const names = operators.map(({ name }) => name).join(",");
    if (call.values["image"] === undefined)
      call.err.line(`installed; to run it from here: telltale run --operators ${names}`);
    return exit.well;
  });
};

export const uninstall: Run = async (call) => {
  const operators = await namedIn(call);
  return connected(call, async ({ client }) => {
    for (const operator of operators) {
      const all = manifestsOf(operator, {
        ...optionsFor(call, operator),
        webhooks: true,
        image: "any",
        serviceMonitor: true,
      });
      const left = await belongingToOthers(client, operator, all);
      const objects = all.filter((object) => !left.includes(object));
      const isKept = ({ kind }: KubeObject) => kind === "CustomResourceDefinition" && !call.flags.has("crds");
      // A namespace goes only where everything goes.
      const going = objects.filter(
        (object) => !isKept(object) && (object.kind !== "Namespace" || call.flags.has("crds")),
      );
      if (call.flags.has("crds")) await leaveNobody(client, operator, objects);
      await removeAll(going, { client, clock: call.clock, onApplied: telling(call, going.length) });
    }
    if (!call.flags.has("crds")) call.err.line("definitions and objects stay; --crds removes them too");
    return exit.well;
  });
};

/** Definitions take their objects along, and an operator that is gone cleans up nothing: what has a finalizer would stay for ever. */
async function leaveNobody(client: Client, { name }: Operator, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    if (object.kind !== "CustomResourceDefinition") continue;
    const { spec } = object as CustomResourceDefinition;
    const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
    const path = `/apis/${spec.group}/${version}/${spec.names.plural}`;
    const found = await client.request({ method: "GET", path, query: { limit: 1 } }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const items =
      found === undefined ? [] : ((JSON.parse(found.text) as { items?: readonly KubeObject[] }).items ?? []);
    const [first] = items;
    if (first === undefined) continue;
    throw new Problem(
      `${name}: there are still ${spec.names.plural}, such as ${first.metadata?.name}`,
      `delete them while the operator runs: kubectl delete ${spec.names.plural}.${spec.group} --all --all-namespaces`,
    );
  }
}

async function namedIn({ words }: Call): Promise<readonly Operator[]> {
  if (words.length === 0) throw misused("no operator is named", "telltale --help lists them; all is every one of them");
  return chosen(words[0] === "all" ? undefined : words.join(","));
}

function optionsFor(call: Call, operator: Operator): ManifestOptions {
  const { image } = call.values;
  const flags = call.settings[operator.name] ?? {};
  const address = Object.keys(flags).find((flag) => flag.endsWith("-bind-address"));
  if (image !== undefined && address !== undefined) {
    const flag = `--${operator.name}.${address}`;
    throw misused(
      `${flag} is not for a program in the cluster: probes ask it at its standard port`,
      `leave ${flag} out`,
    );
  }
  return {
    ...installOptions(call, operator),
    ...(image !== undefined && { image }),
    flags,
    serviceMonitor: call.flags.has("service-monitor"),
  };
}

/** Definitions of others that they brought themselves, and a namespace that was there before. */
async function belongingToOthers(
  client: Client,
  operator: Operator,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const left: KubeObject[] = [];
  for (const object of objects) {
    if (object.kind !== "Namespace" && !isForeign(operator, object)) continue;
    const found = await (object.kind === "Namespace" ? home(client, object) : definition(client, object));
    if (found !== undefined && !isOurs(found)) left.push(object);
  }
  return left;
}

const home = (client: Client, { metadata }: KubeObject): Promise<Namespace | undefined> =>
  client.get(Namespace, metadata?.name ?? "").catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

const definition = (client: Client, { metadata }: KubeObject): Promise<CustomResourceDefinition | undefined> =>
  client.get(CustomResourceDefinition, metadata?.name ?? "").catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

function telling({ out, flags }: Call, total: number): (object: KubeObject) => void {
  let count = 0;
  return ({ kind, metadata }) => {
    count += 1;
    const place = metadata?.namespace === undefined ? "" : `${metadata.namespace}/`;
    if (flags.has("json")) out.line(JSON.stringify({ done: count, of: total, kind, name: metadata?.name }));
    else out.line(`[${String(count).padStart(String(total).length)}/${total}] ${kind} ${place}${metadata?.name}`);
  };
}
