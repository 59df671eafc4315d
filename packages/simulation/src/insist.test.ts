import { ApiError } from "@telltale/client";
import { VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { insist } from "./insist.ts";

const refused = (code: number, reason = "") => new ApiError("PATCH /x", { code, reason, message: `${code}` });

async function tried(act: (attempt: number) => void) {
  const clock = new VirtualClock();
  const at: number[] = [];
  const said: string[] = [];
  const begun = insist({ clock, failed: (error) => said.push(String(error)), waits() {} }, () => {
    at.push(clock.uptime());
    act(at.length);
  });
  await clock.settle(600_000);
  await begun;
  return { at, said };
}

describe("somebody who insists", () => {
  it("tries again, later and later, until it works", async () => {
    const { at, said } = await tried((attempt) => {
      if (attempt < 4) throw refused(503);
    });
    expect(at).toEqual([0, 1000, 3000, 7000]);
    expect(said).toHaveLength(1);
  });

  it("gives up after some minutes", async () => {
    const { at } = await tried(() => {
      throw refused(404);
    });
    expect(at).toHaveLength(8);
  });

  it.each([422, 403])("takes %i for an answer", async (code) => {
    const { at } = await tried(() => {
      throw refused(code);
    });
    expect(at).toHaveLength(1);
  });

  it("does not make again what is there", async () => {
    const { at } = await tried(() => {
      throw refused(409, "AlreadyExists");
    });
    expect(at).toHaveLength(1);
  });
});
