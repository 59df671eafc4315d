import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { podFolder } from "./layout.ts";
import { type LaunchRequest, planLaunch } from "./plan.ts";
import { type Container, membersOf } from "./spec.ts";

function plan(container: Partial<Container>, spec: Partial<Pod["spec"]> = {}, more: Partial<LaunchRequest> = {}) {
  const full = { name: "main", image: "acme/tool:1", ...container };
  const pod: Pod = { metadata: { name: "p", namespace: "ns", uid: "u1" }, spec: { ...spec, containers: [full] } };
  const [member] = membersOf(pod);
  if (member === undefined) throw new Error("the pod has a container");
  return planLaunch({
    pod,
    member,
    refers: {
      configMap: () => undefined,
      secret: () => undefined,
      services: () => ({ DB_SERVICE_HOST: "10.0.0.9" }),
      token: () => Promise.reject(new Error("nobody asks")),
    },
    folder: podFolder("/srv/t", "u1"),
    place: { podIP: "127.4.5.6", hostIP: "127.0.0.1", cpus: 2, memoryBytes: 1_000 },
    ports: new Map([[80, 8080]]),
    inherited: { PATH: "/bin", LANG: "C" },
    marks: { TELLTALE_CONTAINER: "u1/main/0" },
    images: {},
    translatePaths: true,
    ...more,
  });
}

const refusal = (reason: string, message: string) => expect.objectContaining({ reason, message });
const config = "CreateContainerConfigError";
const create = "CreateContainerError";
const data = { volumes: [{ name: "my-data", emptyDir: {} }] };
const mounted = { volumeMounts: [{ name: "my-data", mountPath: "/data/" }] };
const real = "/srv/t/pods/u1/volumes/my-data";
const rootfs = "/srv/t/pods/u1/containers/main/rootfs";

describe("the command of a container", () => {
  it("is command and args, with variables and paths put in", () => {
    const { argv } = plan(
      {
        command: ["tool", "$(MODE)"],
        args: ["--port=$(PORT_80)", "/data/x", "$(NONE)", "$$(MODE)"],
        env: [{ name: "MODE", value: "fast" }],
        ...mounted,
      },
      data,
    );
    expect(argv).toEqual(["tool", "fast", "--port=8080", `${real}/x`, "$(NONE)", "$(MODE)"]);
  });

  it("is the image's where it has none, with its own args or the image's", () => {
    const images = { "acme/*": { command: ["run", "it"], args: ["--default"], env: { MODE: "image" } } } as const;
    expect(plan({}, {}, { images }).argv).toEqual(["run", "it", "--default"]);
    expect(plan({ args: ["--own"] }, {}, { images })).toMatchObject({
      argv: ["run", "it", "--own"],
      env: { MODE: "image" },
    });
    expect(plan({ command: ["other"] }, {}, { images }).argv).toEqual(["other"]);
  });

  it("is asked for where neither gives one", () => {
    const message =
      'image "acme/tool:1" has no command here, as pods run as local processes without images; set ' +
      "spec.containers[0].command, or give the image a command in the image table of the process runtime";
    expect(() => plan({ args: ["x"] })).toThrow(refusal(create, message));
  });

  it.each<[string, Partial<Container>]>([
    ["spec.containers[0].command is empty; name a program", { command: [""] }],
    ['word 1 of spec.containers[0].command and args has a NUL byte: "a\\u0000b"', { command: ["x"], args: ["a\0b"] }],
    [
      "word 1 of spec.containers[0].command and args has 131072 bytes, more than the 131071 that the system takes: " +
        `"${"y".repeat(60)}..."`,
      { command: ["x", "y".repeat(131_072)] },
    ],
  ])("is refused: %s", (message, container) => {
    expect(() => plan(container)).toThrow(refusal(create, message));
  });
});

describe("the variables of a process", () => {
  const run = { command: ["x"] };

  it("are ours that it inherits, its addresses, its Services and its own, and nothing else", () => {
    expect(plan({ ...run, env: [{ name: "A", value: "/data/$(POD_IP)" }], ...mounted }, data).env).toEqual({
      PATH: "/bin",
      LANG: "C",
      HOME: "/srv/t/pods/u1/containers/main/home",
      HOSTNAME: "p",
      POD_IP: "127.4.5.6",
      PORT_80: "8080",
      DB_SERVICE_HOST: "10.0.0.9",
      A: `${real}/127.4.5.6`,
      TELLTALE_POD_IP: "127.4.5.6",
      TELLTALE_POD_UID: "u1",
      TELLTALE_ROOT: rootfs,
      TELLTALE_TERMINATION_LOG: `${rootfs}/dev/termination-log`,
      TELLTALE_MOUNT_MY_DATA: real,
      TELLTALE_CONTAINER: "u1/main/0",
    });
  });

  it("cannot take the place of those by which a process is known", () => {
    const env = ["HOME", "TELLTALE_CONTAINER", "TELLTALE_POD_UID"].map((name) => ({ name, value: "mine" }));
    expect(plan({ ...run, env }).env).toMatchObject({
      HOME: "mine",
      TELLTALE_CONTAINER: "u1/main/0",
      TELLTALE_POD_UID: "u1",
    });
  });

  it("keep our PATH as it is, whatever is mounted over it", () => {
    const mounts = { volumeMounts: [{ name: "my-data", mountPath: "/bin" }] };
    const { env } = plan({ ...run, ...mounts, env: [{ name: "P", value: "/bin/tool" }] }, data);
    expect(env).toMatchObject({ PATH: "/bin", P: `${real}/tool` });
  });

  it("are refused when the system could not take one", () => {
    const env = [{ name: "HUGE", value: "z".repeat(140_000) }];
    const message =
      'variable "HUGE" of container main has 140005 bytes, more than the 131071 that the system takes; mount it as a file';
    expect(() => plan({ ...run, env })).toThrow(refusal(config, message));
  });

  it("and arguments keep their paths where nobody wants them translated", () => {
    const kept = plan({ command: ["x", "/data/y"], ...mounted }, data, { translatePaths: false });
    expect(kept.argv).toEqual(["x", "/data/y"]);
  });
});

describe("the working directory", () => {
  const cwd = (workingDir: string | undefined, more: Partial<Container> = mounted) =>
    plan({ command: ["x"], ...more, ...(workingDir === undefined ? {} : { workingDir }) }, data).cwd;

  it.each([
    [undefined, rootfs],
    ["/", rootfs],
    ["/srv/app/", `${rootfs}/srv/app`],
    ["/data", real],
    ["/data/deep/er", `${real}/deep/er`],
    ["/database", `${rootfs}/database`],
    ["relative", `${rootfs}/relative`],
  ])("%s is %s", (workingDir, wanted) => {
    expect(cwd(workingDir)).toBe(wanted);
  });

  it("must stay inside", () => {
    const message = "spec.containers[0].workingDir is \"srv/../../x\", but must not contain '..'";
    expect(() => cwd("/srv/../../x")).toThrow(refusal(config, message));
  });
});

describe("mounts", () => {
  const mounts = (mount: object, spec: Partial<Pod["spec"]> = data, env: Container["env"] = []) =>
    plan({ command: ["x"], env, volumeMounts: [{ name: "my-data", mountPath: "/data", ...mount }] }, spec).mounts;

  it("are the volume, a part of it, or a copy of a part that is written by us", () => {
    expect(mounts({})).toEqual([{ path: "/data", volume: "my-data", target: real, part: { is: "whole" } }]);
    expect(mounts({ subPath: "a/./b" })[0]).toMatchObject({
      target: `${real}/a/b`,
      part: { is: "link", subPath: "a/b" },
    });
    const settings = { volumes: [{ name: "my-data", configMap: { name: "c" } }] };
    expect(mounts({ subPath: "key" }, settings)[0]).toMatchObject({
      target: "/srv/t/pods/u1/containers/main/copies/0",
      part: { is: "copy", subPath: "key" },
    });
  });

  it("expand a subPathExpr", () => {
    const env = [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
    expect(mounts({ subPathExpr: "logs/$(POD)" }, data, env)[0]).toMatchObject({ target: `${real}/logs/p` });
    const message = 'spec.containers[0].volumeMounts[0].subPathExpr is "$(NONE)/x", but variable NONE is not set';
    expect(() => mounts({ subPathExpr: "$(NONE)/x" })).toThrow(refusal(config, message));
  });

  it.each<[string, object]>([
    [`spec.containers[0].volumeMounts[0].subPath is "../x", but must not contain '..'`, { subPath: "../x" }],
    [`spec.containers[0].volumeMounts[0].subPath is "/x", but must not be an absolute path`, { subPath: "/x" }],
    [
      `spec.containers[0].volumeMounts[0].mountPath is "a/../../b", but must not contain '..'`,
      { mountPath: "/a/../../b" },
    ],
    ["spec.containers[0].volumeMounts[0].mountPath is empty; name an absolute path", { mountPath: "" }],
    ['spec.containers[0].volumeMounts[0].mountPath is "a\\u0000", but has a NUL byte', { mountPath: "/a\0" }],
    ['spec.containers[0].volumeMounts[0].mountPath is "/", but nothing can be mounted', { mountPath: "//." }],
    ['spec.containers[0].volumeMounts[0].name is "gone", but the pod has no such volume', { name: "gone" }],
    ["the name of a volume is", { name: ".." }],
  ])("are refused: %s", (message, mount) => {
    const spec = { volumes: [...data.volumes, { name: "..", emptyDir: {} }] };
    expect(() => mounts(mount, spec)).toThrow(refusal(config, expect.stringContaining(message) as never));
  });
});

it("a memory limit is in bytes, and must be one", () => {
  const limited = (memory: string) => plan({ command: ["x"], resources: { limits: { memory } } });
  expect(limited("64Mi").memoryBytes).toBe(67_108_864);
  expect(() => limited("lots")).toThrow(
    refusal(config, 'spec.containers[0].resources.limits.memory is "lots", which is no quantity'),
  );
});

it("a command that is run later has real paths, and variables only where they are wanted", () => {
  const { translate, expand } = plan({ command: ["x"], ...mounted }, data);
  expect([translate("/data/$(POD_IP)"), expand("/data/$(POD_IP)")]).toEqual([`${real}/$(POD_IP)`, `${real}/127.4.5.6`]);
});
