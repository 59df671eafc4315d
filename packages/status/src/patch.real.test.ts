// What a real kube-apiserver makes of our patches: the guards hold, nothing else conflicts, and a refusal is told apart.
import { defineKind, Fields, instant, List, type Resource, Text, toCrd } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  assetsFor,
  type ControlPlane,
  send,
  startControlPlane,
  until,
} from "../../../tools/envtest/envtest.ts";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { applyDocument, jsonPatch } from "./patch.ts";

/** What the answer says to the writer: a failed test of a JSON Patch is a 422 without causes. */
function refusalOf({ status, body }: { readonly status: number; readonly body: unknown }): string {
  const { causes = [] } = (body as { readonly details?: { readonly causes?: readonly unknown[] } }).details ?? {};
  if (status === 409 || (status === 422 && causes.length === 0)) return "conflict";
  return status === 422 ? "invalid" : `${status}`;
}

const assets = assetsFor("packages/status");
const path = "/apis/telltale.test/v1/namespaces/default/widgets";
const now = instant(Date.parse("2026-01-01T00:00:00Z"));

const Rack = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Rack",
  spec: Fields({}),
  status: Fields({ rows: List(Text({ maxLength: 20 }), { maxItems: 200 }) }),
});
type Rack = Resource<typeof Rack>;

describe.runIf(assets !== undefined)("a status on a real server", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const crd = await send(plane, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", toCrd(Widget));
    expect(crd).toMatchObject({ status: 201, warnings: [] });
    await until(
      "widgets are served",
      () => send(plane, "GET", path),
      (a) => a.status === 200,
    );
  });

  afterAll(() => plane?.stop());

  const create = async (name: string): Promise<Widget> => {
    const body = { apiVersion: Widget.apiVersion, kind: Widget.kind, metadata: { name }, spec: { size: 1 } };
    return (await send(plane, "POST", path, body)).body as Widget;
  };
  const patch = (read: Widget, body: unknown): Promise<Answer> =>
    send(plane, "PATCH", `${path}/${read.metadata.name}/status`, body, "application/json-patch+json");
  const pass = (read: Widget) =>
    draft(Widget, read, now)
      .phase("Pending")
      .condition("Built", true, "Complete", "")
      .condition("Broken", false, "Whole", "")
      .state({ type: "Linked", status: "True", reason: "Up", message: "" });

  it("the first patch finds absent what was absent, and gives exactly the derived status", async () => {
    const read = await create("first");
    expect(read.status).toEqual({ observedGeneration: -1 });
    const finished = pass(read).finish();
    const answer = await patch(read, jsonPatch(Widget, read, finished));
    expect(answer.status).toBe(200);
    expect((answer.body as Widget).status).toEqual(finished.status);
    expect(pass(answer.body as Widget).finish().changed).toBe(false);
  });

  it("rule 68: a re-created object of the same name is not written to", async () => {
    const read = await create("again");
    const body = jsonPatch(Widget, read, pass(read).finish());
    await send(plane, "DELETE", `${path}/again`);
    await create("again");
    const answer = await patch(read, body);
    expect(refusalOf(answer)).toBe("conflict");
  });

  it("of a long list items are replaced, taken away and added one by one, and only where they stand", async () => {
    const racks = path.replace("widgets", "racks");
    await send(plane, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", toCrd(Rack));
    const rows = Array.from({ length: 100 }, (_, i) => `row-${i}`);
    const body = { apiVersion: Rack.apiVersion, kind: Rack.kind, metadata: { name: "one" }, spec: {} };
    const made = await until(
      "a rack is made",
      () => send(plane, "POST", racks, body),
      (a) => a.status === 201,
    );
    const to = (read: Answer["body"], next: string[]) =>
      jsonPatch(
        Rack,
        read as Rack,
        draft(Rack, read as Rack, now)
          .set({ rows: next })
          .finish(),
      );
    const write = (operations: unknown) =>
      send(plane, "PATCH", `${racks}/one/status`, operations, "application/json-patch+json");
    const { body: read } = await write(to(made.body, rows));
    const next = ["row-new", ...rows.slice(0, 40), "row-other", ...rows.slice(43)];
    const operations = to(read, next);
    expect(operations.every(({ path: at }) => at !== "/status/rows")).toBe(true);
    expect(((await write(operations)).body as Rack).status?.rows).toEqual(next);
    const late = await write(operations);
    expect(refusalOf(late)).toBe("conflict");
  });

  it("rule 60: a condition that somebody added meanwhile is not lost", async () => {
    const read = await create("foreign");
    const foreign = {
      type: "example.com/Other",
      status: "True",
      reason: "X",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const merge = { status: { conditions: [foreign] } };
    await send(plane, "PATCH", `${path}/foreign/status`, merge, "application/merge-patch+json");
    const stale = await patch(read, jsonPatch(Widget, read, pass(read).finish()));
    expect(refusalOf(stale)).toBe("conflict");
    const fresh = (await send(plane, "GET", `${path}/foreign`)).body as Widget;
    const answer = await patch(fresh, jsonPatch(Widget, fresh, pass(fresh).finish()));
    expect((answer.body as Widget).status?.conditions?.at(-1)).toEqual(foreign);
  });

  it("a write that does not concern the status does not conflict with it", async () => {
    const read = await create("beside");
    await send(
      plane,
      "PATCH",
      `${path}/beside`,
      { metadata: { labels: { a: "b" } }, spec: { size: 2 } },
      "application/merge-patch+json",
    );
    expect((await patch(read, jsonPatch(Widget, read, pass(read).finish()))).status).toBe(200);
  });

  it("a status that the schema refuses is no conflict", async () => {
    const read = await create("refused");
    const answer = await patch(read, [{ op: "add", path: "/status/replicas", value: "many" }]);
    expect(refusalOf(answer)).toBe("invalid");
  });

  it("rule 66: an apply document is accepted, and refused when it was computed from an older state", async () => {
    const read = await create("applied");
    const document = applyDocument(Widget, read, pass(read).finish());
    const url = `${path}/applied/status?fieldManager=test&force=true`;
    const answer = await send(plane, "PATCH", url, document, "application/apply-patch+yaml");
    expect(answer.status).toBe(200);
    const stale = await send(plane, "PATCH", url, document, "application/apply-patch+yaml");
    expect(refusalOf(stale)).toBe("conflict");
  });
});
