// The samples and the minimal manifests as a person applies them: the server takes each of them strictly, the rules find nothing
// wrong with them, and what their comments show could be said.
import { readdirSync, readFileSync } from "node:fs";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filterOf } from "../src/adoption/filter.ts";
import { virtrigaudCrds, virtrigaudKinds } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import {
  networkProblems,
  type Problem,
  providerProblems,
  virtualMachineProblems,
  vmClassProblems,
  vmImageProblems,
} from "../src/validate/index.ts";
import { pathOf } from "./definitions.ts";

const folder = new URL("../samples/", import.meta.url);
const samples = [...readdirSync(folder).sort(), "../docs/conversion.yaml"];
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const documents = (text: string) => text.split(/^---$/m);

const rules: Readonly<Record<string, (object: never) => readonly Problem[]>> = {
  VirtualMachine: virtualMachineProblems,
  Provider: providerProblems,
  VMClass: vmClassProblems,
  VMImage: vmImageProblems,
  VMNetworkAttachment: networkProblems,
};

describe("manifests", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      listen: false,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorization: "always-allow",
      objects: virtrigaudCrds() as readonly KubeObject[],
    });
  });
  afterAll(() => server.stop());

  const apply = async (document: string) => {
    const name = /^kind: (\S+)$/m.exec(document)?.[1] ?? "";
    const kind = virtrigaudKinds.find((it) => it.kind === name);
    const core = name === "Secret" ? "secrets" : "persistentvolumeclaims";
    const path = kind === undefined ? `/api/v1/namespaces/default/${core}` : pathOf(kind);
    const { status, headers, body } = await server.client({
      method: "POST",
      path: `${path}?fieldValidation=Strict`,
      headers: { "content-type": "application/yaml", accept: "application/json" },
      body: document,
    });
    expect([status, headers["warning"]], body).toEqual([201, undefined]);
    expect(rules[name]?.(JSON.parse(body) as never) ?? []).toEqual([]);
    return name;
  };

  test.each(samples)("the sample %s is accepted, and keeps the rules", async (file) => {
    for (const document of documents(read(file))) await apply(document);
  });

  test("D the minimal manifests are accepted, one of each kind", async () => {
    const text = readFileSync(new URL("minimal.yaml", import.meta.url), "utf8");
    const made: string[] = [];
    for (const document of documents(text.replaceAll("metadata: { name: ", "metadata: { name: minimal-")))
      made.push(await apply(document));
    expect(made.sort()).toEqual(virtrigaudKinds.map(({ kind }) => kind).sort());
  });
});

test.each(samples)("the status in %s is in words of ours", (file) => {
  const text = read(file);
  const told = [...text.matchAll(/^# +- type: (\S+)\n# +status: "(\S+)"\n# +reason: (\S+)$/gm)];
  expect(told.map(([, type]) => type)).toContain("Ready");
  const kinds = virtrigaudKinds.filter(({ kind }) => text.includes(`\nkind: ${kind}\n`));
  for (const [, type = "", status = "", reason = ""] of told) {
    const found = kinds.map(({ conditions }) => conditions.types[type]?.reasons[reason]?.on ?? []);
    expect(found.flat(), `${type} ${reason}`).toContain(status);
  }
});

test("the filter in the sample of adoption can be read", () => {
  const written = new RegExp(`${annotations.adoptFilter}: '(.*)'`).exec(read("adoption.yaml"))?.[1];
  expect(filterOf(written)).not.toHaveProperty("problem");
});
