import { conditions, defineKind, Fields, List, no, positive, Text, yes } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { merged, unreadFields, unreadSettings, unusedReasons, unwrittenFields } from "./compare.ts";
import { judge } from "./judge.ts";
import { help, optionsOf } from "./options.ts";
import { recording } from "./record.ts";

const Lamp = defineKind({
  group: "test.telltale.dev",
  version: "v1",
  kind: "Lamp",
  spec: Fields({
    color: Text(),
    shade: Fields({ material: Text(), size: Text() }),
    bulbs: List(Fields({ socket: Text(), watt: Text() }), { maxItems: 9 }),
  }),
  status: Fields({ lit: Text(), parts: List(Fields({ name: Text(), state: Text() }), { maxItems: 9 }) }),
  conditions: conditions({
    Ready: positive({
      means: "it burns",
      reasons: { Lit: yes("it burns"), Dark: no("it does not", "switch it on"), Broken: no("no bulb", "replace it") },
    }),
  }),
});

const lamp = {
  apiVersion: "test.telltale.dev/v1",
  kind: "Lamp",
  metadata: { name: "desk" },
  spec: { color: "red", shade: { material: "paper", size: "S" }, bulbs: [{ socket: "E27", watt: "5" }] },
};
type Lamp = typeof lamp;

/** What a controller that does this with its object leaves unread. */
function unreadBy(use: (seen: Lamp) => unknown, object: Lamp = lamp): string[] {
  const { recorder, usage } = recording();
  use(recorder.object(Lamp, object));
  return unreadFields(Lamp.schema.spec, merged([usage()]).specs["test.telltale.dev/Lamp"] ?? {});
}

describe("a spec field", () => {
  test("is read when code gets it by its name", () => {
    expect(unreadBy(({ spec }) => spec.color)).toEqual(["shade", "bulbs"]);
    expect(unreadBy(({ spec }) => [spec.color, spec.shade.size, spec.bulbs.map(({ socket }) => socket)])).toEqual([
      "shade.material",
      "bulbs[].watt",
    ]);
  });

  test("is not read by comparing, copying or printing its spec as a whole", () => {
    const all = ["color", "shade", "bulbs"];
    expect(unreadBy(({ spec }) => JSON.stringify(spec))).toEqual(all);
    expect(unreadBy(({ spec }) => ({ ...spec }))).toEqual(all);
    expect(unreadBy(({ spec }) => Object.entries(spec))).toEqual(all);
  });

  test("is read after its spec was copied", () => {
    const copied = ({ spec }: Lamp) => ({ ...spec }).shade.size;
    expect(unreadBy(copied)).toEqual(["color", "shade.material", "bulbs"]);
  });

  test("is used where its part is passed on whole", () => {
    const passed = ({ spec }: Lamp) => [spec.color, JSON.stringify(spec.shade), JSON.stringify(spec.bulbs)];
    expect(unreadBy(passed)).toEqual([]);
  });
});

test("a recorded object is what it was, also where it is frozen", () => {
  const { recorder } = recording();
  const seen = recorder.object(Lamp, Object.freeze({ ...lamp, spec: Object.freeze(lamp.spec) }));
  expect(seen).toEqual(lamp);
  expect(JSON.stringify(seen)).toBe(JSON.stringify(lamp));
  expect(Array.isArray(seen.spec.bulbs)).toBe(true);
  expect(seen.spec.bulbs.length).toBe(1);
  expect(seen.spec.shade).toBe(seen.spec.shade);
  expect(recorder.object(Lamp, lamp)).toBe(recorder.object(Lamp, lamp));
});

test("a setting is unread until code gets it, whatever a test reads of it", () => {
  let isProgram = true;
  const { recorder, usage } = recording(() => isProgram);
  const config = recorder.settings("lamp", { port: 1, limits: { rate: 2, burst: 3 } });
  expect(unreadSettings(usage().settings["lamp"] ?? {})).toEqual(["port", "limits"]);
  expect(config.limits.rate).toBe(2);
  isProgram = false;
  expect(config.port).toBe(1);
  expect(unreadSettings(usage().settings["lamp"] ?? {})).toEqual(["port", "limits.burst"]);
});

test("status fields, reasons and metrics that nothing ever set are named, over all recordings", () => {
  const [one, other] = [recording(), recording()];
  one.recorder.status(Lamp, { lit: "yes", conditions: [{ type: "Ready", status: "True", reason: "Lit" }] });
  other.recorder.status(Lamp, {
    parts: [{ name: "bulb" }],
    conditions: [{ type: "Ready", status: "False", reason: "Dark" }],
  });
  one.recorder.metric("lamp_lit", "declared");
  other.recorder.metric("lamp_lit", "sampled");
  other.recorder.metric("lamp_lit", "declared");
  one.recorder.metric("lamp_broken", "declared");
  const all = merged([one.usage(), other.usage()]);
  const name = "test.telltale.dev/Lamp";
  expect(unwrittenFields(Lamp.schema.status ?? {}, all.statuses[name] ?? [])).toEqual([
    "observedGeneration",
    "parts[].state",
  ]);
  expect(unusedReasons([Lamp], () => all.conditions[name] ?? [])).toEqual(["Lamp Ready/Broken"]);
  expect(all.metrics).toEqual({ lamp_lit: "sampled", lamp_broken: "declared" });
});

describe("what is judged", () => {
  const lamps = (name: string, more: Partial<Parameters<typeof judge>[0][number]> = {}) => ({
    name,
    kinds: [],
    exceptions: [],
    pages: "",
    ...more,
  });
  const usage = merged([]);
  const used = { ...usage, metrics: { lamp_lit: "sampled", lamp_broken: "declared", torch_lit: "declared" } } as const;

  test("is only what belongs to the operators that are asked for", () => {
    const [ofLamps, ofTorches] = ["lamp", "torch"].map((name) => judge([lamps(name)], used).problems);
    expect(ofLamps).toEqual([
      "lamp: metric lamp_broken is never set; use it, remove it, or add a row to tools/usage/exceptions/lamp.ts",
    ]);
    expect(judge([lamps("lamp"), lamps("torch")], used).problems).toEqual([...(ofLamps ?? []), ...(ofTorches ?? [])]);
  });

  test("is no problem where a row has it and a page tells it; a row that is not needed is one", () => {
    const row = { what: "metric lamp_broken", why: "no bulb breaks here", told: "Bulbs never break" };
    const told = lamps("lamp", { exceptions: [row], pages: "A promise: Bulbs never break." });
    expect(judge([told], used)).toEqual({ unused: 1, exceptions: 1, problems: [] });
    expect(judge([{ ...told, pages: "" }], used).problems).toEqual([
      'lamp: metric lamp_broken: no page of the operator says "Bulbs never break"; write it there, or correct the row',
    ]);
    const lit = { ...used, metrics: { lamp_broken: "sampled" } } as const;
    expect(judge([told], lit).problems).toEqual([
      "lamp: metric lamp_broken is used; remove its row from tools/usage/exceptions/lamp.ts",
    ]);
  });
});

describe("the options", () => {
  const all = ["bindy", "capt", "locust"];

  test.each([
    [[], all],
    [["--operator", "locust"], ["locust"]],
    [["--operator=locust,bindy"], ["bindy", "locust"]],
    [
      ["--operator", "locust", "--operator", "capt"],
      ["capt", "locust"],
    ],
  ])("%j mean these operators: %j", (args, names) => {
    expect(optionsOf(args, all)).toEqual({ as: "operators", names });
  });

  test("that are wrong are refused, and help names all of them", () => {
    const message = "there is no operator lamp; choose from bindy, capt, locust";
    expect(optionsOf(["--operator", "capt,lamp"], all)).toEqual({ as: "refused", message });
    expect(optionsOf(["--operator="], all)).toMatchObject({ as: "refused" });
    expect(optionsOf(["--lamp"], all)).toMatchObject({ as: "refused", message: expect.stringContaining("--lamp") });
    expect(optionsOf(["--help"], all)).toEqual({ as: "help" });
    expect(help).toContain("--operator NAME");
  });
});
