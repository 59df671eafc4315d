import { expect, test } from "vitest";
import { at, pod, report, reported, running, waiting, written } from "../../test/pod-parts.ts";
import { logOf } from "./log.ts";

const shown = (it: ReturnType<typeof pod>, more: Partial<Parameters<typeof logOf>[2]> = {}) =>
  new TextDecoder().decode(
    logOf("one\ntwo\nthree\n", it, { container: "main", previous: false, timestamps: false, ...more }),
  );
const runs = written(pod(), reported([report("main", running(5))]), at(6));

test("all lines, the last ones, or so many bytes", () => {
  expect(shown(runs)).toBe("one\ntwo\nthree\n");
  expect(shown(runs, { tailLines: 2 })).toBe("two\nthree\n");
  expect(shown(runs, { tailLines: 0 })).toBe("");
  expect(shown(runs, { limitBytes: 5 })).toBe("one\nt");
});

test("with the time at which the container began, and only what is young enough", () => {
  expect(shown(runs, { tailLines: 1, timestamps: true })).toBe("2026-01-01T00:00:05.000000Z three\n");
  expect(shown(runs, { since: at(5) })).not.toBe("");
  expect(shown(runs, { since: at(6) })).toBe("");
});

test("of the run before only where there was one, of what waits the last run", () => {
  const last = { exitCode: 1, reason: "Error", startedAt: at(1), finishedAt: at(2) };
  const loop = written(pod(), reported([report("main", waiting("CrashLoopBackOff"), { last })]), at(6));
  expect(shown(runs, { previous: true })).toBe("");
  expect(shown(loop, { previous: true, timestamps: true, tailLines: 1 })).toBe("2026-01-01T00:00:01.000000Z three\n");
  expect(shown(loop)).toBe("one\ntwo\nthree\n");
  expect(shown(written(pod(), reported([report("main", waiting())]), at(6)))).toBe("");
  expect(shown(pod())).toBe("");
});
