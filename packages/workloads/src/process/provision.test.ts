// What a process gets, and what its status says where it cannot get it.
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { afterEach, describe, expect, it, vi } from "vitest";
import { driverPool, eventually, must, podOf, script } from "../../test/process/driver.ts";
import { statusOf } from "../kubelet/pod-status.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
afterEach(clean);

const once = { restartPolicy: "Never" } as const;

describe("what a process gets", () => {
  it("in the network of its host: addresses that it agrees on with its status", async () => {
    const driver = await drive();
    const hostIP = { name: "HOST_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } };
    const pod = podOf([script("echo $HOST_IP $POD_IP", { env: [hostIP] })], { ...once, hostNetwork: true });
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    const status = statusOf({ pod, report, hostIP: "10.0.1.1" }, instant(0));
    expect(await driver.logs(pod)).toBe(`${status.hostIP} ${status.podIP}\n`);
    expect(status.podIP).toBe("127.0.0.1");
  });

  it("is a clean environment, a home, a working directory and its addresses", async () => {
    process.env["TELLTALE_TEST_SECRET"] = "not for pods";
    const driver = await drive();
    const pod = podOf(
      [
        script("env; pwd; cd; pwd", {
          workingDir: "/srv/app",
          ports: [{ containerPort: 8080 }],
          env: [{ name: "A", value: "1" }],
        }),
      ],
      once,
    );
    driver.services["DB_SERVICE_HOST"] = "10.0.0.9";
    const { podIP, annotations } = await driver.apply(pod);
    await driver.untilStates(pod, "terminated");
    const text = await driver.logs(pod);
    const env = new Map(text.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
    const folder = join(driver.root, "pods", pod.metadata?.uid ?? "", "containers", "main");
    expect(podIP).toMatch(/^127\./);
    expect(annotations).toEqual({ "telltale.dev/ports": JSON.stringify({ 8080: `${podIP}:8080` }) });
    expect(Object.fromEntries(env)).toMatchObject({
      A: "1",
      POD_IP: podIP,
      PORT_8080: "8080",
      DB_SERVICE_HOST: "10.0.0.9",
      HOME: join(folder, "home"),
      HOSTNAME: pod.metadata?.name,
      TELLTALE_ROOT: join(folder, "rootfs"),
      TELLTALE_POD_UID: pod.metadata?.uid,
    });
    expect(text).not.toContain("not for pods");
    expect(text).toContain(`\n${join(folder, "rootfs/srv/app")}\n${join(folder, "home")}\n`);
  });

  it("are its volumes as files, by their paths in its command and by variables", async () => {
    const driver = await drive();
    driver.configMaps.set("settings", { data: { "app.conf": "color=blue", other: "x" } });
    driver.secrets.set("login", { data: { pass: Buffer.from("s3cret").toString("base64") } });
    const pod = podOf(
      [
        script(
          "cat /etc/app/app.conf /etc/login/pass; stat -c %a /etc/login/..data/pass; cat $TELLTALE_ROOT/etc/app/other; echo hi > /scratch/out",
          {
            volumeMounts: [
              { name: "conf", mountPath: "/etc/app" },
              { name: "login", mountPath: "/etc/login" },
              { name: "scratch", mountPath: "/scratch" },
            ],
          },
        ),
        script("while ! cat /shared/out 2>/dev/null; do sleep 0.05; done", {
          volumeMounts: [{ name: "scratch", mountPath: "/shared" }],
        }),
      ],
      {
        ...once,
        volumes: [
          { name: "conf", configMap: { name: "settings" } },
          { name: "login", secret: { secretName: "login", defaultMode: 0o400 } },
          { name: "scratch", emptyDir: {} },
        ],
      },
    );
    await driver.apply(pod);
    await driver.untilStates(pod, "terminated", "terminated");
    expect(await driver.logs(pod)).toBe("color=blues3cret400\nx");
    expect(await driver.logs(pod, { container: "c1" })).toBe("hi\n");
  });

  it("changes with the ConfigMap, but not what is mounted by subPath", async () => {
    const driver = await drive();
    driver.configMaps.set("settings", { data: { level: "1" } });
    const pod = podOf(
      [
        script("while [ $(cat /conf/level) = 1 ]; do sleep 0.05; done; cat /conf/level /one/level", {
          volumeMounts: [
            { name: "conf", mountPath: "/conf" },
            { name: "conf", mountPath: "/one/level", subPath: "level" },
          ],
        }),
      ],
      { ...once, volumes: [{ name: "conf", configMap: { name: "settings" } }] },
    );
    await driver.apply(pod);
    await driver.untilStates(pod, "running");
    const link = join(driver.root, "pods", must(pod.metadata?.uid), "volumes/conf/..data");
    const before = readlinkSync(link);
    await driver.syncAll();
    expect(readlinkSync(link)).toBe(before); // nothing changed, and nothing was written
    driver.configMaps.set("settings", { data: { level: "2" } });
    await driver.syncAll();
    await driver.untilStates(pod, "terminated");
    expect(await driver.logs(pod)).toBe("21");
  });

  it("is a token that is renewed before its time is up", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const source = { serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 100 } };
    const pod = podOf([script("sleep 600", { volumeMounts: [{ name: "api", mountPath: "/api" }] })], {
      volumes: [{ name: "api", projected: { sources: [source] } }],
    });
    const first = await driver.apply(pod);
    const file = join(driver.root, "pods", pod.metadata?.uid ?? "", "volumes/api/token");
    expect(readFileSync(file, "utf8")).toBe("token-1-for-vault");
    expect(first.wakeAt).toBe(clock.now() + 80_000);
    await driver.syncAll();
    expect(driver.tokens).toHaveLength(1);
    clock.advance(80_000);
    await eventually(() => readFileSync(file, "utf8") === "token-2-for-vault");
  });

  it("of a claim is still there for the next pod", async () => {
    const driver = await drive();
    driver.claims.set("disk", { metadata: { namespace: "default", name: "disk", uid: "claim-1" } });
    const disk = { ...once, volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "disk" } }] };
    const mount = { volumeMounts: [{ name: "disk", mountPath: "/disk", subPath: "a" }] };
    const first = podOf([script("echo kept > /disk/file", mount)], disk);
    await driver.apply(first);
    await driver.untilStates(first, "terminated");
    await driver.runtime.drop(must(first.metadata?.uid));
    const second = podOf([script("cat /disk/file", mount)], disk);
    await driver.apply(second);
    await driver.untilStates(second, "terminated");
    expect(await driver.logs(second)).toBe("kept\n");
  });
});

describe("what is missing", () => {
  it("for a variable is said in the status, until it is there", async () => {
    const driver = await drive();
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "late", key: "k" } } }];
    const pod = podOf([script("echo $A", { env })], once);
    const waiting = (await driver.apply(pod)).containers[0]?.state;
    expect(waiting).toEqual({
      is: "waiting",
      reason: "CreateContainerConfigError",
      message: 'configmap "late" not found',
    });
    await driver.syncAll();
    driver.configMaps.set("late", { data: { k: "here" } });
    await driver.syncAll();
    await driver.untilStates(pod, "terminated");
    expect(await driver.logs(pod)).toBe("here\n");
    expect(driver.events(pod).map(({ message }) => message)).toEqual([
      'Error: configmap "late" not found',
      "Container created",
      "Container started",
    ]);
  });

  it("for a volume keeps the container from being made, with an event", async () => {
    const driver = await drive();
    const pod = podOf([script("cat /s/k", { volumeMounts: [{ name: "s", mountPath: "/s" }] })], {
      ...once,
      volumes: [{ name: "s", secret: { secretName: "late" } }],
    });
    expect((await driver.apply(pod)).containers[0]?.state).toEqual({ is: "waiting", reason: "ContainerCreating" });
    await driver.syncAll();
    expect(driver.events(pod)).toEqual([
      {
        type: "Warning",
        reason: "FailedMount",
        message: 'MountVolume.SetUp failed for volume "s" : secret "late" not found',
      },
    ]);
    driver.secrets.set("late", { data: { k: "aGVyZQ==" } });
    await driver.syncAll();
    await driver.untilStates(pod, "terminated");
    expect(await driver.logs(pod)).toBe("here");
  });

  it("does not end what runs", async () => {
    const driver = await drive();
    driver.configMaps.set("c", { data: { k: "1" } });
    const pod = podOf([script("sleep 600", { volumeMounts: [{ name: "c", mountPath: "/c" }] })], {
      volumes: [{ name: "c", configMap: { name: "c" } }],
    });
    await driver.apply(pod);
    driver.configMaps.delete("c");
    await driver.syncAll();
    const report = await driver.untilStates(pod, "running");
    expect(report.containers[0]?.restartCount).toBe(0);
  });
});

describe("a container that cannot be made", () => {
  it.each([
    [
      "an unknown program",
      { command: ["no-such-program"] },
      'exec: "no-such-program": executable file not found in $PATH',
    ],
    ["a folder", { command: ["/tmp"] }, 'exec: "/tmp": is a directory'],
    ["no command", { image: "acme/web:1" }, 'image "acme/web:1" has no command here'],
    ["a NUL byte", { command: ["echo", "a\0b"] }, "word 1 of spec.containers[0].command and args has a NUL byte"],
    [
      "no end of arguments",
      { command: ["echo", ...Array.from({ length: 60 }, () => "x".repeat(100_000))] },
      "are more than the system takes",
    ],
    [
      "a name that is a path",
      { name: "../../up" },
      'the name of a container is "../../up", which cannot be the name of a folder',
    ],
    ["a path that leads out", { command: ["pwd"], workingDir: "/../../../tmp" }, "must not contain '..'"],
  ])("because of %s says so in its status", async (_, container, message) => {
    const driver = await drive();
    const pod = podOf([container]);
    const report = await driver.apply(pod);
    expect(report.containers[0]).toMatchObject({
      state: {
        is: "waiting",
        reason: expect.stringMatching(/^CreateContainer(Config)?Error$/),
        message: expect.stringContaining(message),
      },
      restartCount: 0,
    });
    expect(report.wakeAt).toBeDefined();
    const other = podOf([script("exit 0")], once);
    await driver.apply(other);
    await driver.untilStates(other, "terminated");
  });

  it("because of the names of the pod or its volumes says so too", async () => {
    const driver = await drive();
    const plain = podOf([script("exit 0")]);
    const bad = [
      { ...plain, metadata: { ...plain.metadata, uid: "../../x" } },
      podOf([script("exit 0")], { volumes: [{ name: "a/b", emptyDir: {} }] }),
    ];
    for (const pod of bad)
      expect((await driver.apply(pod)).containers[0]?.state).toMatchObject({
        is: "waiting",
        message: expect.stringContaining("cannot be the name of a folder"),
      });
    expect(existsSync(join(driver.root, "x"))).toBe(false);
  });

  it("runs by the image table where it has no command of its own", async () => {
    const driver = await drive({ images: { "acme/*": { command: ["echo", "from"], args: ["image"] } } });
    const pod = podOf([{ image: "acme/web:1" }, { image: "acme/web:1", args: ["$(POD_IP)"] }], once);
    const { podIP } = await driver.apply(pod);
    await driver.untilStates(pod, "terminated", "terminated");
    expect([await driver.logs(pod), await driver.logs(pod, { container: "c1" })]).toEqual([
      "from image\n",
      `from ${podIP}\n`,
    ]);
  });
});
