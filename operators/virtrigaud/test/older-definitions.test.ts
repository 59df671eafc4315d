import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VMSnapshot, virtrigaudKinds } from "../src/kinds/index.ts";
import { durationProblems, toldAll, virtualMachineProblems } from "../src/validate/index.ts";
import { pathOf } from "./definitions.ts";
import { olderCrds } from "./older-definitions.ts";
import { full, kindNamed, least } from "./specs.ts";

describe("C a server with the definitions of an older installation", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      listen: false,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorization: "always-allow",
      objects: olderCrds(),
    });
  });
  afterAll(() => server.stop());

  const make = async (name: string, object: string, spec: object) => {
    const { apiVersion, kind } = kindNamed(name);
    const answer = await server.client({
      method: "POST",
      path: pathOf(kindNamed(name)),
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ apiVersion, kind, metadata: { name: object }, spec }),
    });
    expect(answer.status, answer.body).toBe(201);
    return JSON.parse(answer.body);
  };

  test.each(virtrigaudKinds.map(({ kind }) => kind))("has %s, and what ours accept it accepts too", async (name) => {
    await make(name, "full", full(name));
    const { status } = await make(name, "least", least[name] ?? {});
    expect(status).toBeUndefined();
  });

  test("S46 bad duration: one snapshot says so, and the others are as they were", async () => {
    const wrong = await make("VMSnapshot", "wrong", { vmRef: { name: "web" }, retentionPolicy: { maxAge: "30d" } });
    const right = await make("VMSnapshot", "right", { vmRef: { name: "web" }, retentionPolicy: { maxAge: "720h" } });
    expect(toldAll(durationProblems(VMSnapshot, wrong.spec))).toContain('spec.retentionPolicy.maxAge "30d"');
    expect(durationProblems(VMSnapshot, right.spec)).toEqual([]);
  });

  test("S6 bad spec: a machine with an image and a disk gets in, and the rules name the field", async () => {
    const both = { imageRef: { name: "a" }, importedDisk: { diskID: "d" } };
    const vm = await make("VirtualMachine", "both", { ...least["VirtualMachine"], ...both });
    expect(toldAll(virtualMachineProblems(vm))).toBe(
      'spec.imageRef "a" stands beside spec.importedDisk: keep one of the two',
    );
  });

  test("L-22 labels in the template of a set are lost, so nobody may rely on them", async () => {
    const metadata = { labels: { app: "pool" } };
    const set = await make("VMSet", "labels", {
      ...least["VMSet"],
      template: { metadata, spec: least["VirtualMachine"] },
    });
    expect(set.spec.template.metadata).toEqual({});
  });
});
