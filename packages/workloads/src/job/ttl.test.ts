import { expect, it } from "vitest";
import { at, job, time } from "../../test/job/samples.ts";
import { expiryOf } from "./ttl.ts";

const ended = { conditions: [{ type: "Failed", status: "True", lastTransitionTime: time(5) }] };

it("a Job goes so many seconds after it has ended, and only then", () => {
  expect(expiryOf(job({ ttlSecondsAfterFinished: 3 }, ended))).toBe(at(8));
  expect(expiryOf(job({ ttlSecondsAfterFinished: 0 }, ended))).toBe(at(5));
  expect(expiryOf(job({ ttlSecondsAfterFinished: 3 }))).toBeUndefined();
  expect(expiryOf(job({}, ended))).toBeUndefined();
});

it("a Job that is going already is not deleted again", () => {
  expect(expiryOf(job({ ttlSecondsAfterFinished: 3 }, ended, { deletionTimestamp: time(6) }))).toBeUndefined();
});
