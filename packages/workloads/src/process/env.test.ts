import type { ConfigMap, Pod, Secret } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { type EnvRequest, variables } from "./env.ts";
import type { Container } from "./spec.ts";

const configMaps: Readonly<Record<string, ConfigMap>> = { settings: { data: { COLOR: "blue", level: "3" } } };
const secrets: Readonly<Record<string, Secret>> = { login: { data: { USER: "YWRh", PASS: "ZsO8bmY=" } } };
const services = { DB_SERVICE_HOST: "10.0.0.9", KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_PORT: "tcp://x" };

function env(container: Partial<Container>, spec: Partial<Pod["spec"]> = {}, given: EnvRequest["given"] = {}) {
  const full = { name: "main", ...container };
  const pod: Pod = { metadata: { name: "p", namespace: "shop" }, spec: { ...spec, containers: [full] } };
  const refers = {
    configMap: (name: string) => configMaps[name],
    secret: (name: string) => secrets[name],
    services: () => services,
  };
  const place = { podIP: "127.1.2.3", hostIP: "127.0.0.1", cpus: 1, memoryBytes: 1 };
  return variables({ pod, container: full, refers, place, given });
}

const refused = (reason: string, message: string) => expect.objectContaining({ reason, message });

describe("the variables of a container", () => {
  it("are those of envFrom, replaced by env, over Services, over what was given", () => {
    const all = env(
      {
        envFrom: [{ configMapRef: { name: "settings" } }, { secretRef: { name: "login" }, prefix: "DB_" }],
        env: [
          { name: "COLOR", value: "red" },
          { name: "DB_SERVICE_HOST", value: "mine" },
        ],
      },
      {},
      { GIVEN: "g", KUBERNETES_PORT: "given" },
    );
    expect(all).toEqual({
      GIVEN: "g",
      KUBERNETES_PORT: "tcp://x",
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      DB_SERVICE_HOST: "mine",
      COLOR: "red",
      level: "3",
      DB_USER: "ada",
      DB_PASS: "fünf",
    });
  });

  it("refer to those before them, to Services and to what was given, and to nothing after them", () => {
    const all = env(
      {
        envFrom: [{ configMapRef: { name: "settings" } }],
        env: [
          { name: "URL", value: "http://$(DB_SERVICE_HOST):$(PORT_80)/$(COLOR)?$(LATER)&$$(COLOR)" },
          { name: "LATER", value: "x" },
          { name: "EMPTY", value: "" },
          { name: "PROTO", value: "$(constructor)" },
        ],
      },
      {},
      { PORT_80: "8080" },
    );
    expect(all["URL"]).toBe("http://10.0.0.9:8080/blue?$(LATER)&$(COLOR)");
    expect(all["EMPTY"]).toBe("");
    expect(all["PROTO"]).toBe("$(constructor)");
  });

  it("come from fields, resources, ConfigMaps and Secrets", () => {
    const all = env({
      resources: { limits: { memory: "1Mi" } },
      env: [
        { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
        { name: "LEVEL", valueFrom: { configMapKeyRef: { name: "settings", key: "level" } } },
        { name: "PASS", valueFrom: { secretKeyRef: { name: "login", key: "PASS" } } },
        { name: "NONE", valueFrom: { secretKeyRef: { name: "login", key: "none", optional: true } } },
        { name: "NOBODY", valueFrom: { configMapKeyRef: { name: "gone", key: "none", optional: true } } },
      ],
    });
    expect(all).toMatchObject({ NAME: "p", MEMORY: "1048576", LEVEL: "3", PASS: "fünf" });
    expect(Object.keys(all)).not.toContain("NONE");
    expect(Object.keys(all)).not.toContain("NOBODY");
  });

  it("leave out Services without links, but for the API server", () => {
    expect(env({}, { enableServiceLinks: false })).toEqual({
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_PORT: "tcp://x",
    });
  });

  it.each<[string, Partial<Container>]>([
    ['configmap "gone" not found', { envFrom: [{ configMapRef: { name: "gone" } }] }],
    ['secret "gone" not found', { envFrom: [{ secretRef: { name: "gone" } }] }],
    [
      'configmap "gone" not found',
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "gone", key: "k" } } }] },
    ],
    ['secret "gone" not found', { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "gone", key: "k" } } }] }],
    [
      "couldn't find key k in ConfigMap shop/settings",
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "k" } } }] },
    ],
    [
      "couldn't find key constructor in Secret shop/login",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "login", key: "constructor" } } }] },
    ],
    ["unsupported fieldPath: spec.x", { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.x" } } }] }],
    [
      "variable A of container main of pod p has a NUL byte, which no environment can hold; mount it as a file",
      { env: [{ name: "A", value: "a\0b" }] },
    ],
    ['variable name "A=B" of container main of pod p is empty or has "=" or a NUL byte', { env: [{ name: "A=B" }] }],
  ])("%s", (message, container) => {
    expect(() => env(container)).toThrow(refused("CreateContainerConfigError", message));
  });

  it("that are optional may be missing altogether", () => {
    const optional = { name: "gone", optional: true };
    expect(env({ envFrom: [{ configMapRef: optional }, { secretRef: optional }] })).toEqual(services);
  });

  it("may have any name", () => {
    expect(Object.entries(env({ env: [{ name: "__proto__", value: "x" }] }))).toContainEqual(["__proto__", "x"]);
  });
});
