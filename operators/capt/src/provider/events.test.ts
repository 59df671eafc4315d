import { text } from "@telltale/status";
import { expect, test } from "vitest";
import { network } from "../../test/worlds.ts";
import { Streaks } from "../streaks.ts";
import type { Trouble } from "../trouble.ts";
import { tellTrouble } from "./events.ts";

const failing = (code: number): Trouble => ({
  verb: "get",
  resource: "secrets",
  message: text`get secrets failed: HTTP ${code}`,
});

test("11.1 the third error in a row is told, and then only one that is another", () => {
  const told: string[] = [];
  const streaks = new Streaks();
  const hands = { event: (...all: readonly string[]) => void told.push(all.join(" ")) };
  const tell = (...troubles: readonly (Trouble | undefined)[]) => {
    for (const trouble of troubles) tellTrouble(network(), trouble, hands, streaks, () => "SecretError");
    return told.splice(0);
  };
  expect(tell(failing(500), failing(500))).toEqual([]);
  expect(tell(failing(500), failing(500))).toEqual(["Warning SecretError get secrets failed: HTTP 500"]);
  expect(tell(failing(503), failing(503))).toEqual(["Warning SecretError get secrets failed: HTTP 503"]);
  expect(tell(undefined, failing(503), failing(503))).toEqual([]);
});
