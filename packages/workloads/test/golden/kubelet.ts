// The kubelet of the recordings: one move at a time, for the oldest pod that has one, and only when it is told to.
import { formatTime } from "@telltale/kinds";
import { call, type Environment, look, patch, pathOf } from "./environment.ts";
import { at, isObject, type JsonObject, list, text } from "./json.ts";
import { creating, ended, restarted, running } from "./pod-status.ts";
import type { PodAction } from "./scenario.ts";

const nodeName = "node-1";
const grace = "?gracePeriodSeconds=0";

/** Makes the one node, where it is not there: one that takes every pod. */
export async function join(env: Environment): Promise<void> {
  const path = "/api/v1/nodes";
  if ((await look(env, `${path}/${nodeName}`)) !== undefined) return;
  await call(env, "POST", path, { apiVersion: "v1", kind: "Node", metadata: { name: nodeName } });
  await patch(env, `${path}/${nodeName}`, { spec: { taints: null } }); // a new node gets one for not being ready
}

type Move =
  | { readonly to: "start" }
  | { readonly to: "run"; readonly ready: boolean }
  | { readonly to: "exit"; readonly code: number }
  | { readonly to: "terminate" };

export class Kubelet {
  readonly #env: Environment;
  #isHeld = false;
  /** Pods whose hold no longer counts, and pods that were asked to go for good: by uid. */
  readonly #released = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #addresses = new Map<string, string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** From here on it does nothing, or goes on. */
  hold(held: boolean): void {
    this.#isHeld = held;
  }

  /** Makes one move, and says whether there was one. */
  async move(): Promise<boolean> {
    if (this.#isHeld) return false;
    for (const pod of await this.#pods()) {
      const move = this.#moveOf(pod);
      if (move === undefined) continue;
      await this.#make(pod, move);
      return true;
    }
    return false;
  }

  /** What a scenario does to one pod. */
  async act(action: PodAction): Promise<void> {
    const pod = await this.#find(action);
    const path = pathOf(this.#env, "Pod", text(pod, "metadata", "name"));
    switch (action.op) {
      case "delete":
        await call(this.#env, "DELETE", path);
        return;
      case "label":
        await patch(this.#env, path, { metadata: { labels: action.labels ?? {} } });
        return;
      case "release":
        this.#released.add(uidOf(pod));
        return;
      case "exit":
        await this.#exit(pod, action.code ?? 0);
        return;
      default:
        await this.#write(pod, running(pod, this.#now(), this.#addressOf(pod), action.op === "ready"));
    }
  }

  async #find({ nth = 0, name }: PodAction): Promise<JsonObject> {
    const pods = await this.#pods();
    const found = name === undefined ? pods.at(nth) : pods.find((pod) => text(pod, "metadata", "name") === name);
    if (found === undefined)
      throw new Error(`no pod ${name ?? `number ${nth}`} among the ${pods.length} that are alive`);
    return found;
  }

  /** Oldest first; pods of an Indexed Job by their index. */
  async #pods(): Promise<readonly JsonObject[]> {
    const answer = await look(this.#env, pathOf(this.#env, "Pod"));
    const pods = list(answer, "items").filter(isObject);
    const order = new Map(created(this.#env).map((pod, i) => [uidOf(pod), i]));
    return pods.toSorted(
      (a, b) => (indexOf(a) ?? 0) - (indexOf(b) ?? 0) || (order.get(uidOf(a)) ?? 0) - (order.get(uidOf(b)) ?? 0),
    );
  }

  #moveOf(pod: JsonObject): Move | undefined {
    const uid = uidOf(pod);
    const hold = this.#released.has(uid) ? "" : text(pod, "metadata", "annotations", "kubelet.test/hold");
    const phase = text(pod, "status", "phase");
    const isBound = text(pod, "spec", "nodeName") !== "";
    if (at(pod, "metadata", "deletionTimestamp") !== undefined) {
      return isBound && hold !== "Terminating" && !this.#removed.has(uid) ? { to: "terminate" } : undefined;
    }
    if (!isBound || list(pod, "status", "containerStatuses").length === 0) {
      return hold === "Pending" ? undefined : { to: "start" };
    }
    if (phase === "Pending")
      return hold === "ContainerCreating" ? undefined : { to: "run", ready: hold !== "NotReady" };
    if (phase !== "Running" || hold === "Running" || hold === "NotReady") return undefined;
    const code = this.#exitCode(pod);
    return code === undefined ? undefined : { to: "exit", code };
  }

  #exitCode(pod: JsonObject): number | undefined {
    const byIndex = text(pod, "metadata", "annotations", "kubelet.test/exit-code-by-index");
    const codes = (byIndex || text(pod, "metadata", "annotations", "kubelet.test/exit-code")).split(",");
    const nth =
      byIndex !== ""
        ? (indexOf(pod) ?? 0)
        : text(pod, "spec", "restartPolicy") === "OnFailure"
          ? restartsOf(pod)
          : siblings(this.#env, pod).findIndex((it) => uidOf(it) === uidOf(pod));
    const code = codes[Math.min(Math.max(nth, 0), codes.length - 1)] ?? "";
    return code === "" || code === "run" ? undefined : Number(code);
  }

  async #make(pod: JsonObject, move: Move): Promise<void> {
    const name = text(pod, "metadata", "name");
    const path = pathOf(this.#env, "Pod", name);
    switch (move.to) {
      case "start":
        if (text(pod, "spec", "nodeName") === "") {
          const target = { apiVersion: "v1", kind: "Node", name: nodeName };
          await call(this.#env, "POST", `${path}/binding`, {
            apiVersion: "v1",
            kind: "Binding",
            metadata: { name },
            target,
          });
        }
        await this.#write(pod, creating(await call(this.#env, "GET", path), this.#now()));
        return;
      case "run":
        await this.#write(pod, running(pod, this.#now(), this.#addressOf(pod), move.ready));
        return;
      case "exit":
        await this.#exit(pod, move.code);
        return;
      case "terminate":
        this.#removed.add(uidOf(pod));
        if (text(pod, "status", "phase") === "Running") {
          const isEndless = (text(pod, "spec", "restartPolicy") || "Always") === "Always";
          const status = isEndless ? ended(pod, this.#now(), "Succeeded", 0) : ended(pod, this.#now(), "Failed", 143);
          await this.#write(pod, status);
        }
        await call(this.#env, "DELETE", `${path}${grace}`);
    }
  }

  async #exit(pod: JsonObject, code: number): Promise<void> {
    const again = code !== 0 && text(pod, "spec", "restartPolicy") === "OnFailure";
    const now = this.#now();
    const status = again ? restarted(pod, now, code) : ended(pod, now, code === 0 ? "Succeeded" : "Failed", code);
    await this.#write(pod, status);
  }

  async #write(pod: JsonObject, status: JsonObject): Promise<void> {
    await patch(this.#env, `${pathOf(this.#env, "Pod", text(pod, "metadata", "name"))}/status`, { status });
  }

  #addressOf(pod: JsonObject): string {
    const had = this.#addresses.get(uidOf(pod));
    if (had !== undefined) return had;
    const address = `10.244.0.${this.#addresses.size + 1}`;
    this.#addresses.set(uidOf(pod), address);
    return address;
  }

  #now(): string {
    return formatTime(this.#env.now());
  }
}

/** Every pod that ever was, as it was made, oldest first. */
const created = (env: Environment): readonly JsonObject[] =>
  env.changes.filter(({ type, object }) => type === "ADDED" && object["kind"] === "Pod").map(({ object }) => object);

const siblings = (env: Environment, pod: JsonObject): readonly JsonObject[] =>
  created(env).filter((it) => controllerOf(it) === controllerOf(pod));

const controllerOf = (pod: JsonObject): string =>
  text(
    list(pod, "metadata", "ownerReferences").find((owner) => at(owner, "controller") === true),
    "uid",
  );

const uidOf = (object: JsonObject): string => text(object, "metadata", "uid");

function indexOf(pod: JsonObject): number | undefined {
  const index = text(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index");
  return index === "" ? undefined : Number(index);
}

function restartsOf(pod: JsonObject): number {
  const restarts = at(list(pod, "status", "containerStatuses")[0], "restartCount");
  return typeof restarts === "number" ? restarts : 0;
}
