// What a real kube-apiserver takes for one status write, by the kind of request. The kinds take turns request by request, on one
// connection and an otherwise idle server: medians differ by more than the noise where the requests do.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonPatch } from "@telltale/status";
import { findAssets } from "../../tools/envtest/envtest.ts";
import type { Api } from "./runtime/api.ts";
import { Widget } from "./runtime/kinds.ts";
import { raise, seed } from "./runtime/stage.ts";
import { expectedWidget, type WidgetObject, widgetsPath } from "./runtime/widgets.ts";
import { percentile, type Result } from "./table.ts";

const warmUp = 100;
const rounds = 1_500;
const objectsEach = 50;

type Stored = Pick<WidgetObject, "spec"> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
  };
  readonly status: NonNullable<WidgetObject["status"]>;
};

interface Request {
  readonly method: "PUT" | "PATCH";
  readonly body: object;
  readonly type?: string;
  readonly query?: string;
  /** What the server must answer. Default: 200. */
  readonly answer?: number;
}

const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

/** The writer's own patch: it tests the uid, the observed generation and the list of conditions before it replaces them. */
const guarded = (stored: Stored, status: object) => jsonPatch(Widget, stored, { status, changed: true });

const kinds: Readonly<Record<string, (stored: Stored, status: object) => Request>> = {
  "update (PUT) of the object as it was read": (stored, status) => ({ method: "PUT", body: { ...stored, status } }),
  "merge patch": (_, status) => ({ method: "PATCH", type: merge, body: { status } }),
  "JSON Patch without tests": (stored, status) => ({
    method: "PATCH",
    type: json,
    body: guarded(stored, status).filter(({ op }) => op !== "test"),
  }),
  "JSON Patch with tests, as the status writer sends it": (stored, status) => ({
    method: "PATCH",
    type: json,
    body: guarded(stored, status),
  }),
  "server-side apply": ({ apiVersion, kind, metadata }, status) => ({
    method: "PATCH",
    type: apply,
    query: "&force=true",
    body: { apiVersion, kind, metadata: { name: metadata.name }, status },
  }),
  "merge patch that changes nothing": ({ status }) => ({ method: "PATCH", type: merge, body: { status } }),
  "update that is too late (409)": (stored, status) => ({
    method: "PUT",
    answer: 409,
    body: { ...stored, metadata: { ...stored.metadata, resourceVersion: "1" }, status },
  }),
  "JSON Patch whose test fails (422)": (stored, status) => ({
    method: "PATCH",
    type: json,
    answer: 422,
    body: guarded({ ...stored, metadata: { ...stored.metadata, uid: "another" } }, status),
  }),
};

export async function measureWrites(): Promise<Result[]> {
  const assets = findAssets();
  if (assets === undefined) {
    console.error("writes: skipped, as there is no kube-apiserver; run: npm run envtest, or set KUBEBUILDER_ASSETS");
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "telltale-writes-"));
  try {
    const from = await seed(assets, folder, objectsEach * Object.keys(kinds).length, () => {});
    const stage = await raise(assets, folder, from, undefined);
    try {
      return await measure(stage.api);
    } finally {
      await stage.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(api: Api): Promise<Result[]> {
  const all = await api.list<Stored>(widgetsPath);
  // Each kind has objects of its own: none meets managedFields that another has made larger.
  const lanes = Object.entries(kinds).map(([name, make], lane) => ({
    name,
    make,
    objects: all.slice(lane * objectsEach, (lane + 1) * objectsEach),
    took: [] as number[],
  }));
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const { make, objects, took } of rotated(lanes, round)) {
      const at = round % objects.length;
      const stored = objects[at] as Stored;
      const { method, body, type, query = "", answer = 200 } = make(stored, following(stored, round));
      const begin = performance.now();
      const path = `${widgetsPath}/${stored.metadata.name}/status?fieldManager=operator${query}`;
      const { status, text } = await api.send(method, path, body, type);
      if (round >= warmUp) took.push(performance.now() - begin);
      if (status !== answer) throw new Error(`${method} ${path} was answered with ${status}, not ${answer}: ${text}`);
      if (status === 200) objects[at] = JSON.parse(text) as Stored;
    }
  }
  return lanes.map(({ name, took }) => ({ suite: "writes", name, value: percentile(took, 0.5), unit: "ms" }));
}

/** What an operator says after the next change of the spec: three of five conditions have another message. */
function following(stored: Stored, round: number): object {
  const spec = { ...stored.spec, size: stored.spec.size + 2 * (round + 1) };
  const { observedGeneration, conditions } = expectedWidget({ ...stored, spec });
  const { lastTransitionTime } = stored.status.conditions?.[0] ?? {};
  return { observedGeneration, conditions: conditions.map((condition) => ({ ...condition, lastTransitionTime })) };
}

const rotated = <T>(items: readonly T[], by: number): T[] => items.map((_, i) => items[(i + by) % items.length] as T);
