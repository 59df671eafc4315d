import { describe, expect, test } from "vitest";
import { demo, master, worker } from "../../test/demo.ts";
import { standardConfig } from "../config.ts";
import { buildArgs, managedFlags, notesOn, repeatedFlags, tokensOf } from "./index.ts";

const ofMaster = (fields: Parameters<typeof master>[0]) =>
  buildArgs(demo({ master: master(fields) }).spec, "master", "demo");

describe("the arguments of the master", () => {
  test("A94 without autostart there is no autoquit either", () => {
    const { autoquit: _, ...bare } = demo().spec.master;
    const args = buildArgs(demo({ master: { ...bare, autostart: false } }).spec, "master", "demo");
    expect(args).not.toContain("--autostart");
    expect(args.join(" ")).not.toContain("--autoquit");
    expect(args.slice(-5)).toEqual([
      "--master",
      "--master-port=5557",
      "--expect-workers=3",
      "--enable-rebalancing",
      "--only-summary",
    ]);
  });

  test("an explicit autoquit needs autostart as well", () => {
    expect(ofMaster({ autostart: false, autoquit: { enabled: true, timeout: 5 } })).not.toContain("--autoquit");
  });

  test("autoquit is 60 s unless told otherwise, and can be off", () => {
    const { autoquit: _, ...bare } = demo().spec.master;
    expect(buildArgs(demo({ master: bare }).spec, "master", "demo").join(" ")).toContain("--autostart --autoquit 60 ");
    expect(ofMaster({ autoquit: { enabled: true } }).join(" ")).toContain("--autoquit 60 ");
    expect(ofMaster({ autoquit: { enabled: false, timeout: 5 } })).not.toContain("--autoquit");
  });

  test("A54 a timeout of zero is a timeout", () => {
    expect(ofMaster({ autoquit: { enabled: true, timeout: 0 } }).join(" ")).toContain("--autoquit 0 ");
  });

  test("A98 extra arguments come last, and a repeated flag is named without its value", () => {
    const it = demo({ master: master({ extraArgs: ["--expect-workers=1"] }) });
    const args = buildArgs(it.spec, "master", "demo");
    expect(args.at(-1)).toBe("--expect-workers=1");
    expect(args).toContain("--expect-workers=3");
    expect(notesOn(it.spec, standardConfig)).toEqual([
      {
        reason: "FlagRepeated",
        message: "spec.master sets --expect-workers, which the operator sets too: the later value wins",
      },
    ]);
  });
});

describe("a command", () => {
  test("is split at white space of any kind and nothing else", () => {
    expect(tokensOf("  -f\tlf.py\n --host  'a b' ")).toEqual(["-f", "lf.py", "--host", "'a", "b'"]);
  });

  test("keeps extra arguments as they are", () => {
    const spec = demo({ worker: worker({ extraArgs: ["--tags", "a b", ""] }) }).spec;
    expect(buildArgs(spec, "worker", "demo").slice(-3)).toEqual(["--tags", "a b", ""]);
  });

  test.each(managedFlags)("that repeats %s is found, with and without a value", (flag) => {
    for (const arg of [flag, `${flag}=x`]) {
      const inCommand = demo({ worker: worker({ command: `-f lf.py ${arg}` }) }).spec;
      const inExtra = demo({ worker: worker({ extraArgs: [arg] }) }).spec;
      expect(repeatedFlags(inCommand, "worker")).toEqual([flag]);
      expect(repeatedFlags(inExtra, "worker")).toEqual([flag]);
      expect(repeatedFlags(inExtra, "master")).toEqual([]);
    }
  });

  test("that only begins like a flag of the operator repeats none", () => {
    const args = ["--master-bind-port=5557", "--workers", "--expect-workers-max-wait=60", "master"];
    expect(repeatedFlags(demo({ master: master({ extraArgs: args }) }).spec, "master")).toEqual([]);
  });

  test("is never in a note", () => {
    const extraArgs = ["--master-host=hunter2", "--autoquit", "hunter2", "--token=hunter2"];
    const spec = demo({ master: master({ extraArgs }), worker: worker({ extraArgs }) }).spec;
    const notes = notesOn(spec, standardConfig);
    expect(notes).toHaveLength(2);
    expect(JSON.stringify(notes)).not.toContain("hunter2");
  });
});
