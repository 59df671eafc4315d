import { expect, it } from "vitest";
import { toAll } from "./sinks.ts";

it("every sink gets every sample, also after one that throws", () => {
  const got: string[] = [];
  const errors: unknown[] = [];
  const sink = toAll(
    [
      (sample) => got.push(`a ${sample.is}`),
      () => {
        throw new Error("b");
      },
      (sample) => got.push(`c ${sample.is}`),
    ],
    (error) => errors.push(error),
  );
  sink({ is: "lost log" });
  expect([got, errors]).toEqual([["a lost log", "c lost log"], [new Error("b")]]);
});
