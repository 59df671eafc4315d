import { describe, expect, test } from "vitest";
import { demo } from "../../test/demo.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { buildVolumes } from "./volumes.ts";

const of = (parts: Partial<LocustTestSpec>, role: "master" | "worker" = "master") =>
  buildVolumes(demo({ testFiles: {}, ...parts }).spec, role, "demo");

describe("test files", () => {
  test("are mounted where the test says, or at the usual places", () => {
    const testFiles = { configMapRef: "scripts", libConfigMapRef: "lib" };
    expect(of({ testFiles }, "worker")).toEqual({
      volumes: [
        { name: "demo-worker", configMap: { name: "scripts" } },
        { name: "locust-lib", configMap: { name: "lib" } },
      ],
      volumeMounts: [
        { name: "demo-worker", mountPath: "/lotest/src" },
        { name: "locust-lib", mountPath: "/opt/locust/lib" },
      ],
    });
    const elsewhere = { ...testFiles, srcMountPath: "/tests", libMountPath: "/lib2" };
    expect(of({ testFiles: elsewhere }).volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/tests", "/lib2"]);
  });

  test("that are not named are not mounted, and an empty name or path is none", () => {
    expect(of({})).toEqual({ volumes: [], volumeMounts: [] });
    expect(of({ testFiles: { configMapRef: "", libConfigMapRef: "lib", libMountPath: "" } })).toEqual({
      volumes: [{ name: "locust-lib", configMap: { name: "lib" } }],
      volumeMounts: [{ name: "locust-lib", mountPath: "/opt/locust/lib" }],
    });
  });
});

describe("Secrets", () => {
  test("A99 one that is mounted at two paths is one volume and two mounts", () => {
    const secretMounts = [
      { name: "my.secret", mountPath: "/a" },
      { name: "my.secret", mountPath: "/b", readOnly: false },
    ];
    expect(of({ env: { secretMounts } })).toEqual({
      volumes: [{ name: "secret-my-secret", secret: { secretName: "my.secret" } }],
      volumeMounts: [
        { name: "secret-my-secret", mountPath: "/a", readOnly: true },
        { name: "secret-my-secret", mountPath: "/b" },
      ],
    });
  });
});

describe("the test's own volumes", () => {
  const volumes = [
    { name: "reports", persistentVolumeClaim: { claimName: "reports" } },
    { name: "scratch", emptyDir: {} },
    { name: "unused", emptyDir: {} },
  ];

  test("A101 one for the worker is only there", () => {
    const volumeMounts = [{ name: "scratch", mountPath: "/scratch", target: "worker" as const }];
    expect(of({ volumes, volumeMounts }, "master")).toEqual({ volumes: [], volumeMounts: [] });
    expect(of({ volumes, volumeMounts }, "worker")).toEqual({
      volumes: [{ name: "scratch", emptyDir: {} }],
      volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
    });
  });

  test("are on both unless told otherwise, keep their fields, and lose ours", () => {
    const volumeMounts = [
      { name: "reports", mountPath: "/reports", subPath: "today", readOnly: true },
      { name: "reports", mountPath: "/all", target: "both" as const },
    ];
    for (const role of ["master", "worker"] as const) {
      expect(of({ volumes, volumeMounts }, role)).toEqual({
        volumes: [{ name: "reports", persistentVolumeClaim: { claimName: "reports" } }],
        volumeMounts: [
          { name: "reports", mountPath: "/reports", subPath: "today", readOnly: true },
          { name: "reports", mountPath: "/all" },
        ],
      });
    }
  });
});
