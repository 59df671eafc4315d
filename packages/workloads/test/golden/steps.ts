// Performs the steps of a scenario, and keeps when each began.
import { plus } from "@telltale/kinds";
import { call, type Environment, look, patch, pathOf } from "./environment.ts";
import { isList, isObject, type Json, type JsonObject, list, same, text } from "./json.ts";
import { Kubelet } from "./kubelet.ts";
import type { Action, Condition, Scenario, Step } from "./scenario.ts";

/** Behind which revision a step is the last action. */
export interface Mark {
  readonly step: number;
  readonly behind: number;
}

const patience = 60_000;
const patchTypes = { merge: "application/merge-patch+json", strategic: "application/strategic-merge-patch+json" };

/** `marks` gets one for each action, also when a later step fails. */
export async function perform(env: Environment, { steps, settleMs }: Scenario, marks: Mark[]): Promise<void> {
  const kubelet = new Kubelet(env);
  marks.push({ step: 0, behind: -1 });
  for (const [step, it] of steps.entries()) {
    try {
      if ("do" in it) {
        marks.push({ step, behind: await env.revision() });
        await act(env, kubelet, it);
      } else await waitFor(env, kubelet, it, settleMs);
    } catch (error) {
      throw new Error(`step ${step} (${told(it)}) failed: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** A step in few words. */
export function told(step: Step | undefined): string {
  if (step === undefined) return "the end";
  if ("wait" in step) return `wait ${step.wait} s`;
  if ("until" in step) return step.until === "settled" ? "until settled" : `until ${JSON.stringify(step.until)}`;
  switch (step.do) {
    case "create":
      return `create ${text(step.manifest, "kind")}/${text(step.manifest, "metadata", "name")}`;
    case "pod":
      return `pod ${step.op} ${step.name ?? step.nth ?? 0}`;
    case "patch":
      return `patch ${step.kind}/${step.name} ${JSON.stringify(step.patch)}`;
    case "delete":
      return `delete ${step.kind}/${step.name} ${step.propagationPolicy ?? ""}`.trim();
    default:
      return JSON.stringify(step);
  }
}

async function waitFor(
  env: Environment,
  kubelet: Kubelet,
  step: Exclude<Step, Action>,
  settleMs: number,
): Promise<void> {
  if ("wait" in step) {
    const end = plus(env.now(), step.wait * 1000);
    while (env.now() < end) await env.pause(end - env.now());
    return;
  }
  const { until, timeout } = step;
  const end = plus(env.now(), timeout === undefined ? patience : timeout * 1000);
  let quietFrom = env.now(); // what the step before has set off may not have changed anything yet
  for (;;) {
    await env.pause(0);
    if (until !== "settled" && (await holds(env, until))) return;
    const left = Math.max(quietFrom, env.changedAt()) + settleMs - env.now();
    if (left > 0) await env.pause(left);
    else if (await kubelet.move()) quietFrom = env.now();
    else if (until === "settled") return;
    else if (env.now() >= end) throw new Error("it did not come to that");
    else await env.pause(Math.max(1, end - env.now()));
  }
}

async function holds(env: Environment, { kind, name, path, equals, exists, gone }: Condition): Promise<boolean> {
  const found = await look(env, pathOf(env, kind, name === "$ns" ? env.namespace : name));
  if (gone === true) return found === undefined;
  const value = path === undefined ? found : valueAt(found, path);
  return exists === true ? value !== undefined : same(value, equals);
}

/** The value at a path like `status.conditions[type=Complete].status`. */
function valueAt(value: Json | undefined, path: string): Json | undefined {
  let here = value;
  for (const part of path.split(".")) {
    const [, key = "", field, wanted] = /^([^[]+)(?:\[(\w+)=(\w+)\])?$/.exec(part) ?? [];
    here = isObject(here) ? here[key] : undefined;
    if (field !== undefined) here = isList(here) ? here.find((item) => text(item, field) === wanted) : undefined;
  }
  return here;
}

async function act(env: Environment, kubelet: Kubelet, action: Action): Promise<void> {
  switch (action.do) {
    case "create":
      await create(env, action.manifest);
      return;
    case "patch": {
      const { kind, name, type, patch: change, subresource } = action;
      const path = `${pathOf(env, kind, name)}${subresource === undefined ? "" : `/${subresource}`}`;
      await call(env, "PATCH", path, change, patchTypes[type]);
      return;
    }
    case "delete": {
      const { kind, name, propagationPolicy } = action;
      const options = { apiVersion: "v1", kind: "DeleteOptions" };
      await call(
        env,
        "DELETE",
        pathOf(env, kind, name),
        propagationPolicy === undefined ? undefined : { ...options, propagationPolicy },
      );
      return;
    }
    case "delete-namespace":
      await call(env, "DELETE", pathOf(env, "Namespace"));
      return;
    case "pod":
      await kubelet.act(action);
      return;
    case "kubelet":
      kubelet.hold(action.hold);
      return;
    case "scale-rs": {
      const [only, ...others] = list(await call(env, "GET", pathOf(env, "ReplicaSet")), "items");
      if (only === undefined || others.length > 0) throw new Error("there is not exactly one ReplicaSet");
      const path = pathOf(env, "ReplicaSet", text(only, "metadata", "name"));
      await patch(env, path, { spec: { replicas: action.replicas } });
      return;
    }
  }
}

async function create(env: Environment, { $owner: named, ...manifest }: JsonObject): Promise<void> {
  const owners = named === undefined ? [] : isList(named) ? named : [named];
  const references = await Promise.all(owners.filter(isObject).map((owner) => reference(env, owner)));
  const metadata = isObject(manifest["metadata"]) ? manifest["metadata"] : {};
  const object =
    references.length === 0 ? manifest : { ...manifest, metadata: { ...metadata, ownerReferences: references } };
  await call(env, "POST", pathOf(env, text(manifest, "kind")), object);
}

/** A reference to an owner: its uid is the one given, else that of the object of that name, or of the one `uidOf` names. */
async function reference(env: Environment, { uidOf, ...owner }: JsonObject): Promise<JsonObject> {
  if (owner["uid"] !== undefined) return owner;
  const name = typeof uidOf === "string" ? uidOf : text(owner, "name");
  const found = await call(env, "GET", pathOf(env, text(owner, "kind"), name));
  return { ...owner, uid: text(found, "metadata", "uid") };
}
