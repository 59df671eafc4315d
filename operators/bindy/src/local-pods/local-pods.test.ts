import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namedConf, namedOptions } from "../build/named-conf.ts";
import { nameserverOf } from "../build/nameserver.ts";
import { annotations } from "../names.ts";
import { endpointsOf } from "./endpoints.ts";
import { localPods } from "./local-pods.ts";
import { rewritten } from "./rewrite.ts";

const server = nameserverOf({ name: "a", namespace: "dns" }, { clusterRef: "", role: "primary" });
const place = { root: "/pods/x", address: "127.0.0.1", dns: 40_001, rndc: 40_002 };

test("10.6 what the operator writes for named is moved to a pod without a container", () => {
  const conf = rewritten(namedConf(server, "bindy-operator"), place);
  expect(conf).toContain('include "/pods/x/etc/bind/named.conf.options";');
  expect(conf).toContain('include "/pods/x/etc/bind/keys/rndc.key";');
  expect(conf).toContain('inet 127.0.0.1 port 40002 allow { localhost; } keys { "bindy-operator"; };');
  const options = rewritten(namedOptions(server, "bindy-operator"), place);
  expect(options).toContain("options {\n  lock-file none;");
  expect(options).toContain('directory "/pods/x/var/cache/bind";');
  expect(options).toContain("listen-on port 40001 { 127.0.0.1; };");
  expect(options).toContain("listen-on-v6 { none; };");
  expect(`${conf}${options}`).not.toMatch(/"\/etc\/bind|"\/var\/cache|5353|9530/);
});

test("4.3 a pod says where it is reached, once", () => {
  const pod = (said: Readonly<Record<string, string>>) => ({
    metadata: { annotations: said },
    spec: { containers: [{ name: "api", ports: [{ name: "http", containerPort: 9000 }] }] },
  });
  const ports = { "telltale.dev/ports": '{"5353":"127.0.0.1:1","9000":"127.0.0.1:2"}' };
  const wanted = { [annotations.endpointHttp]: "127.0.0.1:2", [annotations.endpointDns]: "127.0.0.1:1" };
  expect(endpointsOf(pod(ports), "telltale.dev/ports")).toEqual(wanted);
  expect(endpointsOf(pod({ ...ports, ...wanted }), "telltale.dev/ports")).toBeUndefined();
  for (const other of [{}, { "telltale.dev/ports": "{" }, { "telltale.dev/ports": "null" }])
    expect(endpointsOf(pod(other), "telltale.dev/ports")).toBeUndefined();
});

test("what `named` stands for is ours, and goes when it is removed", () => {
  const pods = localPods({
    path: "/usr/sbin",
    as: "real",
    access: { by: "token review", server: "https://127.0.0.1:1" },
  });
  const [bin = "", rest] = pods.runtime.path.split(":");
  expect(rest).toBe("/usr/sbin");
  expect(readFileSync(join(bin, "named"), "utf8")).toContain("named-program.ts");
  expect(pods.runtime.images["*bindcar*"]?.env).toMatchObject({
    LOCAL_API_SERVER: "https://127.0.0.1:1",
    LOCAL_MODE: "real",
  });
  pods.remove();
  expect(existsSync(bin)).toBe(false);
});
