// Random applies and updates of one object, told to a real kube-apiserver and to ours: the same owners, the same times, the
// same order, the same objects, the same refusals. Every step starts from what the real server has stored.
import { type Random, seededRandom } from "@telltale/clock";
import { applyDefaults, type Structural } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  assetsFor,
  type ControlPlane,
  send,
  startControlPlane,
  until,
} from "../../../../tools/envtest/envtest.ts";
import { at, clone, type Json, type JsonObject, text } from "../json.ts";
import { StatusError } from "../status.ts";
import { applyConfig, revertTimestamps, trackUpdate } from "./apply.ts";
import { fieldSetOf } from "./fieldset.ts";
import { withoutManagers } from "./managers.ts";
import { structuralSchema } from "./schema.ts";

const assets = assetsFor("packages/apiserver/src/apply");
const group = "apply.telltale.test";
const apiVersion = `${group}/v1`;
const collection = `/apis/${apiVersion}/namespaces/default/things`;

const leaf: Structural = { type: "string" };
const strings: Structural = { type: "object", additionalProperties: leaf };
const set: Structural = { type: "array", items: leaf, "x-kubernetes-list-type": "set" };
const keyed = (keys: string[], properties: Record<string, Structural>): Structural => ({
  type: "array",
  items: { type: "object", required: keys.slice(0, 1), properties },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});
const root: Structural = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: leaf,
        nested: { type: "object", properties: { x: leaf, y: leaf, z: strings } },
        map: strings,
        structs: { type: "object", additionalProperties: { type: "object", properties: { x: leaf } } },
        whole: { ...strings, "x-kubernetes-map-type": "atomic" },
        list: { type: "array", items: leaf },
        set,
        items: keyed(["name", "kind"], { name: leaf, kind: { ...leaf, default: "std" }, v: leaf, tags: set }),
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: {
      type: "object",
      properties: { phase: leaf, conditions: keyed(["type"], { type: leaf, status: leaf }) },
    },
  },
};

let plane: ControlPlane | undefined;
const ask = (method: string, path: string, body: Json, type?: string): Promise<Answer> => {
  if (plane === undefined) throw new Error("no control plane");
  return send(plane, method, path, body, type);
};
const apply = "application/apply-patch+yaml";

beforeAll(async () => {
  if (assets === undefined) return;
  plane = await startControlPlane({ assets });
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const version = { name: "v1", served: true, storage: true, subresources: { status: {} } };
  await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      names,
      scope: "Namespaced",
      versions: [{ ...version, schema: { openAPIV3Schema: root as unknown as JsonObject } }],
    },
  });
  const first = thing("first", { spec: { set: ["x"] } });
  await until(
    "the schema counts",
    () => ask("PATCH", `${collection}/first?fieldManager=m`, first, apply),
    (a) => JSON.stringify(a.body).includes("v:"),
  );
});
afterAll(() => plane?.stop());

describe.skipIf(assets === undefined)("against a real kube-apiserver", () => {
  test.each([1, 2, 3, 4, 5, 6])("60 writes to each of ten objects come to the same, seed %i", async (seed) => {
    const chance = new Chance(seededRandom(seed));
    for (let n = 0; n < 10; n += 1) await writes(`t-${seed}-${n}`, chance);
  });
});

async function writes(name: string, chance: Chance): Promise<void> {
  const log: Json[] = [];
  let live: JsonObject | undefined;
  for (let i = 0; i < 60; i += 1) {
    const status = live !== undefined && chance.of(0.25);
    const applies = live === undefined || chance.of(0.65);
    const manager = chance.pick(["m1", "m2", "m3"]);
    const force = applies && chance.of(0.4);
    const body = thing(name, chance.content(status));
    log.push({ applies, status, manager, force, body });
    const path = `${collection}/${name}${status ? "/status" : ""}?fieldManager=${manager}${force ? "&force=true" : ""}`;
    const real = applies ? await ask("PATCH", path, body, apply) : await ask("PUT", path, withVersion(body, live));
    if (real.status === 422) continue; // what a schema refuses is not for apply to say
    const told = JSON.stringify(log);
    const answer = real.body as JsonObject;
    const now = timeOf(answer, manager, applies, status);
    const door = {
      live,
      manager,
      apiVersion,
      subresource: status ? "status" : "",
      schema: structuralSchema(root),
      reset: status ? fieldSetOf(["spec"], ["metadata"]) : fieldSetOf(["status"]),
      now,
    };
    if (real.status >= 400) {
      expect(
        refusal(() => applyConfig({ ...door, config: body, force, resource })),
        told,
      ).toBe(answer["message"]);
      continue;
    }
    const ours = applies
      ? applyConfig({ ...door, config: body, force, resource })
      : trackUpdate({ ...door, next: withoutManagers(answer), create: false, builtin: false });
    const settled = live === undefined ? ours : revertTimestamps(live, ours);
    expect(at(settled, "metadata", "managedFields") ?? [], told).toEqual(at(answer, "metadata", "managedFields") ?? []);
    if (applies && !status) expect(content(ours), told).toEqual(content(answer));
    live = answer;
  }
}

const resource = { group, resource: "things", kind: "Thing" };
const thing = (name: string, rest: JsonObject): JsonObject => ({
  apiVersion,
  kind: "Thing",
  metadata: { name },
  ...rest,
});

function withVersion(body: JsonObject, live: JsonObject | undefined): JsonObject {
  const resourceVersion = at(live, "metadata", "resourceVersion") ?? "";
  return { ...body, metadata: { ...(body["metadata"] as JsonObject), resourceVersion } };
}

function timeOf(answer: JsonObject, manager: string, applies: boolean, status: boolean): string {
  const entries = (at(answer, "metadata", "managedFields") ?? []) as JsonObject[];
  const mine = entries.find(
    (e) =>
      e["manager"] === manager &&
      e["operation"] === (applies ? "Apply" : "Update") &&
      (e["subresource"] === "status") === status,
  );
  // An apply to an object without owners gives its time to `before-first-apply`.
  const times = (mine?.["time"] === undefined ? entries : [mine]).map((e) => text(e["time"])).sort();
  return times.at(-1) || "2026-01-01T00:00:00Z";
}

function refusal(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

/** The spec as the server stores it. */
const content = (object: JsonObject): Json => applyDefaults(root, clone({ spec: object["spec"] ?? {} }));

class Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  of(share: number): boolean {
    return this.#random.next() < share;
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[Math.floor(this.#random.next() * from.length)] ?? from[0];
  }

  some(from: readonly string[]): string[] {
    const kept = from.filter(() => this.of(0.5));
    return this.of(0.5) ? kept : kept.reverse();
  }

  content(status: boolean): JsonObject {
    return {
      ...(this.of(0.9) ? { spec: this.#spec() } : {}),
      ...(status || this.of(0.2) ? { status: this.#status() } : {}),
    };
  }

  #word = (): string => this.pick(["x", "y"]);
  #map = (): JsonObject => Object.fromEntries(this.some(["p", "q", "r"]).map((name) => [name, this.#word()]));

  #spec(): JsonObject {
    const parts: Record<string, () => Json> = {
      a: this.#word,
      nested: () => ({ ...(this.of(0.5) ? { x: this.#word() } : {}), ...(this.of(0.5) ? { z: this.#map() } : {}) }),
      map: this.#map,
      structs: () =>
        Object.fromEntries(this.some(["p", "q"]).map((name) => [name, this.of(0.5) ? {} : { x: this.#word() }])),
      whole: this.#map,
      list: () => this.some(["p", "q", "r"]),
      set: () => this.some(["p", "q", "r"]),
      items: () => this.some(["p", "q", "r"]).map((name) => this.#item(name)),
      free: () => Object.fromEntries(this.some(["p", "q"]).map((name) => [name, this.#anything()])),
    };
    const out: JsonObject = {};
    for (const name of Object.keys(parts)) if (this.of(0.4)) out[name] = parts[name]?.() ?? null;
    return out;
  }

  #item(name: string): JsonObject {
    return {
      name,
      ...(this.of(0.4) ? { v: this.#word() } : {}),
      ...(this.of(0.3) ? { tags: this.some(["p", "q"]) } : {}),
      ...(this.of(0.3) ? { kind: this.pick(["std", "other"]) } : {}),
    };
  }

  #anything(): Json {
    return this.pick<() => Json>([this.#word, () => 1, this.#map, () => [1], () => ({ q: this.#map() }), () => true])();
  }

  #status(): JsonObject {
    return {
      ...(this.of(0.6) ? { phase: this.#word() } : {}),
      ...(this.of(0.6)
        ? { conditions: this.some(["A", "B", "C"]).map((type) => ({ type, status: this.#word() })) }
        : {}),
    };
  }
}
