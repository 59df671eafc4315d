import type { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import type { Volume } from "./spec.ts";
import { contentOf, isRewritten, tokenRequests } from "./volumes.ts";

const configMaps: Readonly<Record<string, ConfigMap>> = {
  settings: { data: { a: "1", b: "2" }, binaryData: { raw: "AAH/" } },
  bad: { data: { "..": "x" } },
};
const secrets: Readonly<Record<string, Secret>> = { login: { data: { pass: "ZsO8bmY=" } } };
const claims: Readonly<Record<string, PersistentVolumeClaim>> = {
  disk: { metadata: { namespace: "ns", name: "disk", uid: "c1" } },
  "p-scratch": { metadata: { namespace: "ns", name: "p-scratch", uid: "c2" } },
};

function content(source: Omit<Volume, "name">) {
  const volume = { name: "v", ...source };
  const pod: Pod = {
    metadata: { name: "p", namespace: "ns", labels: { app: "web" } },
    spec: { containers: [{ name: "main", resources: { limits: { cpu: "2" } } }], volumes: [volume] },
  };
  return contentOf(volume, {
    pod,
    refers: {
      configMap: (name) => configMaps[name],
      secret: (name) => secrets[name],
      claim: (name) => claims[name],
    },
    place: { podIP: "127.1.1.1", hostIP: "127.0.0.1", cpus: 1, memoryBytes: 1 },
    tokens: new Map([["v/1", "secret-token"]]),
  });
}

/** `path: content mode`. */
function files(source: Omit<Volume, "name">): readonly string[] {
  const found = content(source);
  if (found.is !== "files") throw new Error(`it is ${found.is}`);
  return [...found.files].map(
    ([path, { bytes, mode }]) => `${path}: ${Buffer.from(bytes).toString("latin1")} ${mode.toString(8)}`,
  );
}

describe("a volume", () => {
  it("of a ConfigMap has a file for each key, or the items at their paths and modes", () => {
    expect(files({ configMap: { name: "settings" } })).toEqual(["a: 1 644", "b: 2 644", "raw: \0\u0001ÿ 644"]);
    const items = [
      { key: "a", path: "deep/er/a.txt" },
      { key: "b", path: "b", mode: 0o755 },
    ];
    expect(files({ configMap: { name: "settings", items, defaultMode: 0o400 } })).toEqual([
      "deep/er/a.txt: 1 400",
      "b: 2 755",
    ]);
  });

  it("of a Secret is the same, decoded", () => {
    expect(files({ secret: { secretName: "login", defaultMode: 0o400 } })).toEqual(["pass: fÃ¼nf 400"]);
  });

  it("of the downward API has fields and resources", () => {
    const items = [
      { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
      { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu" }, mode: 0o600 },
    ];
    expect(files({ downwardAPI: { items } })).toEqual(['labels: app="web" 644', "cpu: 2 600"]);
  });

  it("can be put together from several sources, a token among them", () => {
    const sources = [
      { configMap: { name: "settings", items: [{ key: "a", path: "a" }] } },
      { serviceAccountToken: { path: "token" } },
      { secret: { name: "login" } },
      { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    ];
    expect(files({ projected: { sources, defaultMode: 0o440 } })).toEqual([
      "a: 1 440",
      "token: secret-token 440",
      "pass: fÃ¼nf 440",
      "name: p 440",
    ]);
  });

  it("that is empty or a claim is a folder", () => {
    expect(content({ emptyDir: {} })).toEqual({ is: "empty" });
    expect(content({})).toEqual({ is: "empty" });
    expect(content({ persistentVolumeClaim: { claimName: "disk" } })).toMatchObject({ is: "claim", uid: "c1" });
    expect(content({ name: "scratch", ephemeral: {} } as Volume)).toMatchObject({ is: "claim", uid: "c2" });
  });

  it("may lack what is optional", () => {
    expect(files({ configMap: { name: "gone", optional: true } })).toEqual([]);
    expect(files({ secret: { secretName: "gone", optional: true } })).toEqual([]);
    const items = [{ key: "none", path: "x" }];
    expect(files({ configMap: { name: "settings", optional: true, items } })).toEqual([]);
  });

  it.each<[string, Omit<Volume, "name">]>([
    ['configmap "gone" not found', { configMap: { name: "gone" } }],
    ['secret "gone" not found', { secret: { secretName: "gone" } }],
    [
      "configmap references non-existent config key: none",
      { configMap: { name: "settings", items: [{ key: "none", path: "x" }] } },
    ],
    [
      "references non-existent secret key: none",
      { projected: { sources: [{ secret: { name: "login", items: [{ key: "none", path: "x" }] } }] } },
    ],
    ['persistentvolumeclaim "gone" not found', { persistentVolumeClaim: { claimName: "gone" } }],
    ["volumes of type hostPath are not there for local processes", { hostPath: { path: "/etc" } }],
    [
      "projections of type clusterTrustBundle are not there",
      { projected: { sources: [{ clusterTrustBundle: { path: "x" } }] } },
    ],
    [
      `the path of a file is "../x", but must not contain '..'`,
      { configMap: { name: "settings", items: [{ key: "a", path: "../x" }] } },
    ],
    [
      `the path of a file is "..x", but must name a file`,
      { configMap: { name: "settings", items: [{ key: "a", path: "..x" }] } },
    ],
    [
      `the path of a file is "", but must name a file`,
      { configMap: { name: "settings", items: [{ key: "a", path: "" }] } },
    ],
    [`the path of a file is "..", but must not contain '..'`, { configMap: { name: "bad" } }],
    [
      "the mode of a file is 4096, but must be between 0 and 0777",
      { configMap: { name: "settings", defaultMode: 4096 } },
    ],
    ["unsupported fieldPath: spec.x", { downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "spec.x" } }] } }],
  ])("fails: %s", (message, source) => {
    expect(() => content(source)).toThrow(
      expect.objectContaining({
        name: "MountFailure",
        message: expect.stringContaining(`MountVolume.SetUp failed for volume "v" : ${message}`),
      }),
    );
  });
});

it("tokens are asked for by audience and time, where a pod wants them", () => {
  const pod: Pod = {
    spec: {
      containers: [],
      volumes: [
        { name: "plain", emptyDir: {} },
        {
          name: "api",
          projected: {
            sources: [
              { configMap: { name: "x" } },
              { serviceAccountToken: { path: "t", audience: "vault", expirationSeconds: 600 } },
              { serviceAccountToken: { path: "u" } },
            ],
          },
        },
      ],
    },
  };
  expect(tokenRequests(pod)).toEqual([{ key: "api/1", audience: "vault", expirationSeconds: 600 }, { key: "api/2" }]);
});

it("what is written by us is what changes later", () => {
  expect(
    [{ configMap: {} }, { secret: {} }, { projected: {} }, { downwardAPI: {} }].every((it) =>
      isRewritten({ name: "v", ...it }),
    ),
  ).toBe(true);
  expect(isRewritten({ name: "v", emptyDir: {} })).toBe(false);
});
