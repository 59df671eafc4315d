// What Jobs of migrations are made of, and what they and their pods say.
import type { Job, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it, test } from "vitest";
import { migrationOf as migration } from "../../test/staged-migration.ts";
import { convertJob, convertName, type JobTools, removeJob, removeName } from "./job.ts";
import { workOf } from "./job-state.ts";
import { claimFile, convertedUrl, exportsOf, isOwn, sha256In, stagedObject } from "./staging.ts";

const tools: JobTools = { image: "example/qemu-img:1.0", shell: ["/bin/busybox", "sh"] };
const conversion = {
  name: "a-convert-1",
  from: { file: "export-1.qcow2", format: "qcow2" },
  to: { file: "export-1-converted.raw", format: "raw" },
  checksum: "",
  deadline: 1_500,
  provider: undefined,
};
const podOf = (job: Job) => job.spec?.template.spec;

describe("the Job of a migration", () => {
  it("has a name of its own for each attempt, that fits whatever the migration is called", () => {
    expect([convertName(migration(), 1, 0), convertName(migration(), 2, 3)]).toEqual(["a-convert-1", "a-convert-2-r3"]);
    const long = migration("x".repeat(250));
    const names = [convertName(long, 1, 0), convertName(long, 1, 1), convertName(long, 11, 0), removeName(long)];
    expect(new Set(names).size).toBe(4);
    expect(names.map((it) => it.length)).toEqual([63, 63, 63, 63]);
  });

  it("keeps to what the Pod Security level restricted asks for, and mounts the folder of its migration alone", () => {
    const job = convertJob(migration(), tools, conversion);
    const pod = podOf(job);
    expect(pod?.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod).toMatchObject({ automountServiceAccountToken: false, restartPolicy: "Never" });
    const [container] = pod?.containers ?? [];
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container?.volumeMounts).toEqual([
      { name: "staging", mountPath: "/staging", subPath: "vmmigrations/demo/a" },
    ]);
    expect(container?.command?.slice(0, 3)).toEqual(["/bin/busybox", "sh", "-c"]);
    expect(job.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 2 });
  });

  it("runs as the user whose files they are", () => {
    const runtime = { image: "i", securityContext: { runAsUser: 0, runAsGroup: 7 } };
    const provider = { spec: { runtime } } as never;
    const pod = podOf(convertJob(migration(), tools, { ...conversion, provider }));
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: false, runAsUser: 0, runAsGroup: 7 });
  });

  it("has names as arguments only: the script is the same for all", () => {
    const script = (it: Job) => podOf(it)?.containers[0]?.command?.join("\n");
    const other = { urls: [], files: ["export-7.raw"], provider: undefined };
    const some = removeJob(migration("'$(reboot)'"), tools, { ...other, files: ["; rm -rf /"] });
    expect(script(some)).toBe(script(removeJob(migration(), tools, other)));
  });
});

describe("what is staged", () => {
  const folder = "pvc://shared/vmmigrations/demo/a";

  test.each([`${folder}/export-1.qcow2`, `${folder}/export-12-converted.raw`])("%s is of the migration", (url) => {
    expect(isOwn(migration(), url)).toBe(true);
    expect(claimFile(migration(), url)).toBe(url.slice(folder.length + 1));
  });

  test.each([
    `${folder}/../b/export-1.qcow2`,
    `${folder}/./export-1.qcow2`,
    `${folder}/sub/export-1.qcow2`,
    `${folder}//export-1.qcow2`,
    `${folder}/export-0.qcow2`,
    `${folder}/export-1.qcow2\n`,
    `${folder}/export-1.qcow2 -rf`,
    `${folder}/export-1.qcow2?x`,
    `${folder}/-export-1.qcow2`,
    `${folder}/export-1.`,
    `${folder}/export-1.'x'`,
    `${folder}/$(reboot)export-1.qcow2`,
    "pvc://shared/vmmigrations/other/a/export-1.qcow2",
    "pvc://other/vmmigrations/demo/a/export-1.qcow2",
    "s3://shared/vmmigrations/demo/a/export-1.qcow2",
    "/etc/passwd",
    "",
  ])("%j is not", (url) => {
    expect(claimFile(migration(), url)).toBeUndefined();
  });

  it("has a checksum that a Job can compare with, or none", () => {
    const sum = "0123456789abcdef".repeat(4);
    expect([sum, `SHA256:${sum.toUpperCase()}`].map(sha256In)).toEqual([sum, sum]);
    expect([undefined, "", "md5:00", "$(reboot)", `${sum}0`].map(sha256In)).toEqual(Array(5).fill(undefined));
  });

  it("is imported as it was converted, once it was, and not if it was exported again since", () => {
    const [first, second] = [`${folder}/export-1.qcow2`, `${folder}/export-2.qcow2`];
    const url = convertedUrl(first, "raw");
    const staged = [first, url];
    expect(exportsOf(staged)).toEqual([first]);
    expect(stagedObject(migration(), staged, {}, "qemu")).toMatchObject({ url: first, format: "qcow2" });
    expect(stagedObject(migration(), staged, { storageInfo: { url } }, "qemu")).toMatchObject({ url, format: "raw" });
    const again = stagedObject(migration(), [...staged, second], { storageInfo: { url } }, "qemu");
    expect(again).toMatchObject({ url: second, isConverted: false });
  });
});

describe("how a Job stands", () => {
  const job = (type?: string, message?: string): Job => ({
    metadata: { name: "j" },
    status: type === undefined ? {} : { conditions: [{ type, status: "True", ...(message && { message }) }] },
  });
  const pod = (status: NonNullable<Pod["status"]>, name = "p"): Pod => ({ metadata: { name }, status });
  const ended = (exitCode: number, message?: string): NonNullable<Pod["status"]> => ({
    containerStatuses: [
      {
        name: "work",
        image: "",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, ...(message !== undefined && { message }) } },
      },
    ],
  });
  const stateOf = (it: Job, ...pods: readonly Pod[]) => workOf(it, pods).state;
  const checksum = "0123456789abcdef".repeat(4);

  it("is told by its conditions, and by its newest pod", () => {
    expect(stateOf(job())).toEqual({ is: "waiting", why: "its pod has not started" });
    expect(stateOf(job(), pod({ phase: "Running" }))).toEqual({ is: "running" });
    const result = pod(ended(0, `{"checksum":"${checksum}","size":512}`));
    expect(stateOf(job("Complete"), result)).toEqual({ is: "done", result: { checksum, size: 512 } });
    expect(stateOf(job("Failed", "too late"), result)).toMatchObject({ is: "failed", why: "too late", isBad: false });
    expect(stateOf(job("Failed"), pod(ended(3, "checksum mismatch")))).toMatchObject({ isBad: true });
    expect(stateOf(job("Failed"), pod(ended(3), "p-1"), pod(ended(1), "p-2"))).toMatchObject({ why: "exit code 1" });
    const going = { ...job("Complete"), metadata: { name: "j", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(stateOf(going)).toEqual({ is: "going" });
  });

  it("says what keeps its pod from running", () => {
    const place = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/3 nodes are available",
    };
    expect(stateOf(job(), pod({ conditions: [place] }))).toMatchObject({
      why: "Unschedulable: 0/3 nodes are available",
    });
  });

  test.each(["", "nonsense", '{"checksum":"xyz","size":1}', `{"checksum":"${checksum}","size":-1}`])(
    "%j is no result: nobody knows the checksum",
    (message) => {
      expect(stateOf(job("Complete"), pod(ended(0, message)))).toEqual({ is: "done", result: undefined });
    },
  );
});
