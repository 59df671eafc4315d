import { describe, expect, test } from "vitest";
import { StatusError } from "../status.ts";
import { type BodyRequest, decodeBody, type ExpectedKind } from "./body.ts";

const kinds: Record<string, ExpectedKind> = {
  ConfigMap: { group: "", version: "v1", kind: "ConfigMap", builtin: true },
  Pod: { group: "", version: "v1", kind: "Pod", builtin: true },
  Secret: { group: "", version: "v1", kind: "Secret", builtin: true },
  Deployment: { group: "apps", version: "v1", kind: "Deployment", builtin: true },
  StatefulSet: { group: "apps", version: "v1", kind: "StatefulSet", builtin: true },
  HorizontalPodAutoscaler: { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", builtin: true },
  Lease: { group: "coordination.k8s.io", version: "v1", kind: "Lease", builtin: true },
  CustomResourceDefinition: {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    builtin: true,
  },
  Widget: { group: "g.io", version: "v1", kind: "Widget", builtin: false },
};

function decode(kind: string, body: string | Uint8Array | object, more: Partial<BodyRequest> = {}) {
  const expected = kinds[kind];
  if (expected === undefined) throw new Error(kind);
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return decodeBody({ contentType: "application/json", bytes, expect: expected, fieldValidation: "Warn", ...more });
}

async function refusal(
  kind: string,
  body: string | Uint8Array | object,
  more: Partial<BodyRequest> = {},
): Promise<string> {
  try {
    await decode(kind, body, more);
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

const yaml = { contentType: "application/yaml" };
const strict: Partial<BodyRequest> = { fieldValidation: "Strict" };
const unrecognized = (kind: string, rest: string) =>
  `400 the object provided is unrecognized (must be of type ${kind}): ${rest}`;
const cannot = (kind: string, rest: string) => `400 ${kind} in version "v1" cannot be handled as a ${kind}: ${rest}`;
const scheme = 'in scheme "pkg/runtime/scheme.go:111"';

test("a claim template says what it is, as the server itself fills in, and a pod template does not", async () => {
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } };
  const set = (spec: object) => ({ metadata: { name: "db" }, spec: { selector: {}, serviceName: "", ...spec } });
  expect(await refusal("StatefulSet", set({ template: {}, volumeClaimTemplates: [claim] }), strict)).toBe("accepted");
  expect(await refusal("StatefulSet", set({ template: { kind: "Pod" } }), strict)).toMatch(
    /unknown field "spec.template.kind"/,
  );
});

describe("what a body is", () => {
  test("D20 an unknown content type answers 415, parameters do not matter, none means JSON", async () => {
    const body = { metadata: { name: "a" } };
    expect(await refusal("ConfigMap", body, { contentType: "text/plain" })).toBe(
      "415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
    expect(await refusal("ConfigMap", body, { contentType: "application/JSON; charset=utf-8" })).toBe("accepted");
    expect(await refusal("ConfigMap", body, { contentType: undefined })).toBe("accepted");
    expect(await refusal("Widget", body, { contentType: "application/vnd.kubernetes.protobuf" })).toMatch(/^415 /);
  });

  test("D21, D25, V106 what cannot be read shows how it begins", async () => {
    const noJson = "couldn't get version/kind; json parse error:";
    expect(await refusal("ConfigMap", "apiVersion: v1\nkind: ConfigMap\n")).toBe(
      unrecognized(
        "ConfigMap",
        `${noJson} invalid character 'a' looking for beginning of value (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)`,
      ),
    );
    expect(await refusal("Widget", "")).toBe(
      unrecognized("Widget", `${noJson} unexpected end of JSON input (<empty>)`),
    );
    expect(await refusal("Widget", "{")).toBe(unrecognized("Widget", `${noJson} unexpected end of JSON input ({)`));
    expect(await refusal("Widget", "[]")).toBe(
      unrecognized(
        "Widget",
        `${noJson} json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
      ),
    );
    expect(await refusal("Widget", "a: b: c", yaml)).toBe(
      unrecognized("Widget", "yaml: mapping values are not allowed in this context (613a20623a2063)"),
    );
    expect(await refusal("ConfigMap", '{"kind":1}')).toBe(
      unrecognized(
        "ConfigMap",
        `${noJson} json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1})`,
      ),
    );
  });

  test("C16, C17 another version or kind of a built-in", async () => {
    expect(await refusal("ConfigMap", { apiVersion: "v2", kind: "ConfigMap" })).toBe(
      `400 ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" ${scheme}`,
    );
    expect(await refusal("ConfigMap", { apiVersion: "apps/v1", kind: "ConfigMap" })).toBe(
      cannot("ConfigMap", `no kind "ConfigMap" is registered for version "apps/v1" ${scheme}`),
    );
    expect(await refusal("Deployment", { apiVersion: "extensions/v1beta1", kind: "Deployment" })).toBe(
      "400 the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)",
    );
    expect(
      await refusal("HorizontalPodAutoscaler", { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" }),
    ).toBe("400 the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)");
    const unknown = (kind: string) =>
      `400 ${kind} in version "v1" cannot be handled as a ConfigMap: converting (v1.${kind}) to (core.ConfigMap): unknown conversion`;
    expect(await refusal("ConfigMap", { apiVersion: "v1", kind: "Secret" })).toBe(unknown("Secret"));
    expect(await refusal("ConfigMap", { apiVersion: "v1", kind: "ConfigMapList" })).toBe(unknown("ConfigMapList"));
    expect(await refusal("ConfigMap", { apiVersion: "apps/v1", kind: "Deployment" })).toBe(unknown("Deployment"));
    expect(await refusal("ConfigMap", { Kind: "Secret" })).toBe(unknown("Secret"));
    expect(await refusal("ConfigMap", { apiVersion: "v1", kind: "Nope" })).toBe(
      `400 Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" ${scheme}`,
    );
    expect(await refusal("CustomResourceDefinition", { apiVersion: "v1", kind: "ConfigMap" })).toMatch(
      /no kind "ConfigMap" is registered/,
    );
    expect(await refusal("ConfigMap", { apiVersion: "a/b/c", kind: "ConfigMap" })).toBe(
      unrecognized("ConfigMap", 'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)'),
    );
  });

  test("C18 a built-in needs no apiVersion and kind, a custom resource does", async () => {
    expect((await decode("ConfigMap", { metadata: { name: "a" } })).object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
    });
    expect(await refusal("Widget", '{"metadata":{"name":"a"}}')).toBe(
      unrecognized("Widget", `Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`),
    );
    expect(await refusal("Widget", { kind: "Widget" })).toBe(
      "400 the API version in the data () does not match the expected API version (g.io/v1)",
    );
    expect(await refusal("Widget", { apiVersion: "g.io/v1", kind: "Gadget", metadata: { name: "n" } })).toBe(
      '422 Gadget.g.io "n" is invalid: kind: Invalid value: "Gadget": must be Widget',
    );
  });
});

describe("strictness", () => {
  const body =
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"u"},"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"},"bogus":"x"},"spec":{"containers":[{"name":"c","image":"img:1","imagee":"y"}]}},"foo":1},"top":true}';
  const problems = ["spec.template.metadata.bogus", "spec.template.spec.containers[0].imagee", "spec.foo", "top"].map(
    (p) => `unknown field "${p}"`,
  );

  test("C29 Strict refuses unknown fields, C30 Warn warns, C31 Ignore is silent", async () => {
    expect(await refusal("Deployment", body, strict)).toBe(
      cannot("Deployment", `strict decoding error: ${problems.join(", ")}`),
    );
    const warned = await decode("Deployment", body);
    expect(warned.warnings).toEqual(problems);
    expect(JSON.stringify(warned.object)).not.toMatch(/bogus|imagee|foo|top/);
    expect((await decode("Deployment", body, { fieldValidation: "Ignore" })).warnings).toEqual([]);
    expect(await refusal("ConfigMap", { Data: { a: "b" } }, strict)).toBe(
      cannot("ConfigMap", 'strict decoding error: unknown field "Data"'),
    );
  });

  test("unknown and repeated fields come in the order of the document", async () => {
    const mixed =
      '{"metadata":{"name":"a","name":"b"},"spec":{"foo":1,"replicas":1,"replicas":2,"template":{"x":1}},"spec":{"bar":2,"replicas":3},"zz":1}';
    expect(await refusal("Deployment", mixed, strict)).toBe(
      cannot(
        "Deployment",
        'strict decoding error: duplicate field "metadata.name", unknown field "spec.foo", duplicate field "spec.replicas", unknown field "spec.template.x", duplicate field "spec", unknown field "spec.bar", unknown field "zz"',
      ),
    );
  });

  test("what is repeated inside an unknown field does not count", async () => {
    const { warnings } = await decode("ConfigMap", '{"metadata":{"name":"b"},"x":{"y":1,"y":2},"x":1}');
    expect(warnings).toEqual(['unknown field "x"']);
  });

  test("V105 a custom resource: repeated fields, then unknown ones by name; YAML has its own words", async () => {
    const head = '{"apiVersion":"g.io/v1","kind":"Widget",';
    const prune = (object: object) => ({ object: { ...object }, unknown: ["spec.x", "spec.l[0].q", "top"] });
    const { warnings } = await decode("Widget", `${head}"metadata":{"name":"a","name":"b","bogus":1},"spec":{"x":1}}`, {
      prune,
    });
    expect(warnings).toEqual([
      'duplicate field "metadata.name"',
      ...["metadata.bogus", "spec.l[0].q", "spec.x", "top"].map((p) => `unknown field "${p}"`),
    ]);
    const twice = 'apiVersion: g.io/v1\nkind: Widget\nmetadata:\n  name: e\nspec:\n  a: "1"\n  a: "2"\n';
    expect(await refusal("Widget", twice, { ...yaml, ...strict })).toBe(
      cannot("Widget", 'strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map'),
    );
    const warned = await decode("Widget", twice, yaml);
    expect(warned.warnings).toEqual(['line 7: key "a" already set in map']);
    expect(warned.object["spec"]).toEqual({ a: "2" });
  });

  test("an object that comes twice is merged in a built-in, replaced in a custom resource", async () => {
    const cm = await decode("ConfigMap", '{"data":{"a":"1"},"data":{"b":"2"}}');
    expect(cm.object["data"]).toEqual({ a: "1", b: "2" });
    expect(cm.warnings).toEqual(['duplicate field "data"']);
    const cr = await decode("Widget", '{"apiVersion":"g.io/v1","kind":"Widget","o":{"q":1},"o":{"r":2}}');
    expect(cr.object["o"]).toEqual({ r: 2 });
  });
});

describe("types", () => {
  const json = (what: string, field: string, type: string) =>
    `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;
  const pod = (container: string, spec = "") =>
    `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"${container}}]${spec}}}`;
  const quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  test.each([
    ["Deployment", '{"spec":{"replicas":"x"}}', json("string", "DeploymentSpec.spec.replicas", "int32")],
    ["Deployment", '{"spec":{"replicas":1.0}}', json("number 1.0", "DeploymentSpec.spec.replicas", "int32")],
    ["Deployment", '{"spec":{"replicas":1e2}}', json("number 1e2", "DeploymentSpec.spec.replicas", "int32")],
    [
      "Deployment",
      '{"spec":{"replicas":2147483648}}',
      json("number 2147483648", "DeploymentSpec.spec.replicas", "int32"),
    ],
    [
      "Deployment",
      '{"spec":{"strategy":"x"}}',
      json("string", "DeploymentSpec.spec.strategy", "v1.DeploymentStrategy"),
    ],
    [
      "Deployment",
      '{"spec":{"strategy":{"type":1}}}',
      json("number", "DeploymentStrategy.spec.strategy.type", "v1.DeploymentStrategyType"),
    ],
    [
      "Deployment",
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
      json("bool", "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge", "int32"),
    ],
    [
      "Pod",
      pod("", ',"volumes":[{"emptyDir":"y"}]'),
      json("string", "Volume.spec.volumes.VolumeSource.emptyDir", "v1.EmptyDirVolumeSource"),
    ],
    [
      "Pod",
      pod(',"livenessProbe":{"tcpSocket":{"port":99999999999}}'),
      json("number 99999999999", "TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port", "int32"),
    ],
    ["Pod", pod(',"imagePullPolicy":3'), json("number", "Container.spec.containers.imagePullPolicy", "v1.PullPolicy")],
    ["Pod", pod(',"args":[1]'), json("number", "Container.spec.containers.args", "string")],
    ["Pod", pod("", ',"volumes":{}'), json("object", "PodSpec.spec.volumes", "[]v1.Volume")],
    [
      "Pod",
      pod("", ',"activeDeadlineSeconds":9223372036854775808'),
      json("number 9223372036854775808", "PodSpec.spec.activeDeadlineSeconds", "int64"),
    ],
    ["Pod", pod(',"resources":{"limits":{"cpu":"x"}}'), quantity],
    ["Pod", pod(',"resources":{"limits":{"cpu":true}}'), quantity],
    ["Pod", pod(',"resources":{"limits":{"cpu":"1e"}}'), "unable to parse quantity's suffix"],
    ["ConfigMap", '{"metadata":{"labels":{"k":1}}}', json("number", "ObjectMeta.metadata.labels", "string")],
    ["ConfigMap", '{"metadata":{"uid":1}}', json("number", "ObjectMeta.metadata.uid", "types.UID")],
    ["ConfigMap", '{"metadata":"x"}', json("string", "ConfigMap.metadata", "v1.ObjectMeta")],
    ["ConfigMap", '{"data":"x"}', json("string", "ConfigMap.data", "map[string]string")],
    ["ConfigMap", '{"binaryData":{"a":1}}', json("number", "ConfigMap.binaryData", "[]uint8")],
    ["ConfigMap", '{"binaryData":{"k":"***"}}', "illegal base64 data at input byte 0"],
    ["ConfigMap", '{"binaryData":{"k":"eA==="}}', "illegal base64 data at input byte 4"],
    ["Secret", '{"data":{"x":"not base64!"}}', "illegal base64 data at input byte 3"],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":1}}',
      json("number", "ObjectMeta.metadata.creationTimestamp", "string"),
    ],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":"2020-02-30T00:00:00Z"}}',
      'parsing time "2020-02-30T00:00:00Z": day out of range',
    ],
    [
      "ConfigMap",
      '{"metadata":{"creationTimestamp":"2020-01-01T00:00:00Zx"}}',
      'parsing time "2020-01-01T00:00:00Zx": extra text: "x"',
    ],
    [
      "Lease",
      '{"spec":{"renewTime":"2020-01-01T00:00:00Z"}}',
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      "Widget",
      '{"apiVersion":"g.io/v1","kind":"Widget","metadata":{"labels":{"k":1}}}',
      json("number", "ObjectMeta.labels", "string"),
    ],
    [
      "Widget",
      '{"apiVersion":"g.io/v1","kind":"Widget","metadata":"x"}',
      "json: cannot unmarshal string into Go value of type v1.ObjectMeta",
    ],
    [
      "Widget",
      '{"apiVersion":"g.io/v1","kind":"Widget","n":1e400}',
      "json: cannot unmarshal number 1e400 into Go value of type float64",
    ],
  ])("C20, V87, V107, V110 %s %s", async (kind, body, why) =>
    expect(await refusal(kind, body)).toBe(cannot(kind, why)),
  );

  test("values come back as Go writes them", async () => {
    const { object } = await decode(
      "Pod",
      pod(
        ',"args":[null],"tty":false,"env":[],"resources":{"limits":{"cpu":0.1,"memory":"1024Mi","x":null}}',
        ',"terminationGracePeriodSeconds":9007199254740993,"nodeName":null,"hostUsers":false',
      ),
    );
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      spec: {
        containers: [{ name: "c", args: [""], resources: { limits: { cpu: "100m", memory: "1Gi", x: "0" } } }],
        terminationGracePeriodSeconds: 9007199254740993n,
        hostUsers: false,
      },
      status: {},
    });
    const time = await decode(
      "ConfigMap",
      '{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00.5+02:00"},"binaryData":{"a":"e\\nA=="},"data":{"n":null}}',
    );
    expect(time.object).toMatchObject({
      metadata: { deletionTimestamp: "2019-12-31T22:00:00Z" },
      binaryData: { a: "eA==" },
      data: { n: "" },
    });
  });

  test("C20 a null label of a custom resource is empty, empty lists of metadata go, 1.0 is an integer", async () => {
    const { object } = await decode(
      "Widget",
      '{"apiVersion":"g.io/v1","kind":"Widget","metadata":{"labels":{"k":null},"finalizers":[],"generation":1.0},"x":{"__proto__":1}}',
    );
    expect(object["metadata"]).toEqual({ labels: { k: "" }, generation: 1 });
    expect(Object.keys(object["x"] as object)).toEqual(["__proto__"]);
  });
});
