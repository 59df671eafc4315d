// Kopf, unchanged, against the server: the operator in clients/kopf, run as a person runs it, and what it does seen in the API.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, send, until } from "../../../../tools/envtest/send.ts";
import { type Program, type Running, start, startProgram } from "../program.ts";
import { kopfPython } from "./toolchain.ts";

const python = await kopfPython();
const operator = fileURLToPath(new URL("./kopf/gadgets.py", import.meta.url));
const gadgets = "/apis/clients.example.test/v1/namespaces/default/gadgets";

describe.skipIf(python === undefined)("Kopf", () => {
  let server: Program;
  let kopf: Running;
  beforeAll(async () => {
    server = await startProgram();
    const made = await send(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    expect(made.status).toBe(201);
    const env = { ...process.env, KUBECONFIG: server.kubeconfig };
    kopf = start(python ?? "", ["-m", "kopf", "run", "--all-namespaces", operator], { env });
  });
  afterAll(async () => {
    await kopf?.stop();
    await server?.stop();
  });

  const one = () => send(server, "GET", `${gadgets}/one`);
  const status = ({ body }: Answer) => (body as { status?: Record<string, unknown> }).status;

  it("a handler's patch lands in the status", async () => {
    const gadget = {
      apiVersion: "clients.example.test/v1",
      kind: "Gadget",
      metadata: { name: "one" },
      spec: { size: 3 },
    };
    expect((await send(server, "POST", gadgets, gadget)).status).toBe(201);
    const seen = await until("Created", one, (answer) => status(answer)?.["phase"] === "Created");
    expect(status(seen)).toMatchObject({ phase: "Created", size: 3 });
    expect(seen.body).toMatchObject({ metadata: { finalizers: ["clients.example.test/kopf"] } });
  });

  it("a changed field reaches the handler of that field", async () => {
    const patch = { spec: { size: 4 } };
    expect((await send(server, "PATCH", `${gadgets}/one`, patch, "application/merge-patch+json")).status).toBe(200);
    const seen = await until("Resized", one, (answer) => status(answer)?.["phase"] === "Resized from 3");
    expect(status(seen)).toMatchObject({ size: 4 });
  });

  it("what it tells becomes an event", async () => {
    const events = await until(
      "an event",
      () => send(server, "GET", "/api/v1/namespaces/default/events"),
      ({ body }) => JSON.stringify(body).includes('"Seen"'),
    );
    const { items } = events.body as { items: { reason: string; message: string; involvedObject: object }[] };
    expect(items.find(({ reason }) => reason === "Seen")).toMatchObject({
      message: "size 3",
      involvedObject: { kind: "Gadget", name: "one" },
    });
  });

  it("a deleted object goes when its handler is done", async () => {
    expect((await send(server, "DELETE", `${gadgets}/one`)).status).toBe(200);
    await until("gone", one, ({ status: code }) => code === 404);
  });

  it("it ends when it is told to, without an error of the API", async () => {
    const { stderr } = await kopf.stop();
    expect(stderr).toContain("one is let go");
    expect(stderr).not.toMatch(/Traceback|APIError|\[ERROR/);
  });
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.clients.example.test" },
  spec: {
    group: "clients.example.test",
    scope: "Namespaced",
    names: { kind: "Gadget", listKind: "GadgetList", plural: "gadgets", singular: "gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer" } } },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
