import { describe, expect, it } from "vitest";
import { stateSecretName } from "../names.ts";
import { directed, fromSecrets, type Kept, partsOf, type RecordSecret, standardMost, toSecrets } from "./record.ts";
import { snapshotOf } from "./state.ts";

const inputs: Kept["inputs"] = {
  module: "# m",
  format: "HCL",
  entrypoint: "",
  variables: { a: 1 },
  variableFiles: [{ format: "HCL", text: "b = 2" }],
  env: { AWS_SECRET_ACCESS_KEY: "hush" },
  args: { init: [], plan: [], apply: [], destroy: [] },
  hasLog: false,
};
/** Of noise, so that it does not get much smaller. */
function stateOf(bytes: number, serial = 1): Kept["state"] & object {
  let noise = "";
  for (let i = serial; noise.length < bytes; i = (i * 1_103_515_245 + 12_345) % 2 ** 31) noise += i.toString(36);
  const state = snapshotOf(JSON.stringify({ lineage: "l", serial, resources: [{ mode: "managed", noise }] }));
  if (state === undefined) throw new Error("no state");
  return state;
}
const shelf = { namespace: "o", most: standardMost };
const kept = (state?: Kept["state"]): Kept => ({ engine: "tofu", inputs, connection: "n/c", ...(state && { state }) });
const read = (secrets: readonly RecordSecret[]) => {
  const index = secrets.at(-1);
  const parts = partsOf(index?.data).map(
    (n) => secrets.find((it) => it.metadata.name === stateSecretName("u", n))?.data ?? {},
  );
  return index === undefined ? undefined : fromSecrets(index, parts);
};

describe("12.8 what is kept of a Workspace", () => {
  it("comes back as it was, with a state and without one", () => {
    for (const it of [kept(), kept(stateOf(100))]) expect(read(toSecrets("u", it, shelf, undefined))).toEqual(it);
  });

  it("comes back without what a former version allowed and this one does not", () => {
    const env = { ...inputs.env, LD_PRELOAD: "/x.so" };
    const args = { init: [], plan: ["-out=/x", "-refresh=false"], apply: [], destroy: ["-state=/x"] };
    const before: Kept = { ...kept(stateOf(100)), inputs: { ...inputs, env, args } };
    expect(read(toSecrets("u", before, shelf, undefined))?.inputs).toEqual({
      ...inputs,
      args: { ...args, plan: ["-refresh=false"], destroy: [] },
    });
  });

  it("is one Secret of our type, with the keys that the specification names", () => {
    const [secret, ...more] = toSecrets("u", kept(stateOf(100, 7)), shelf, undefined);
    expect(more).toEqual([]);
    expect(secret).toMatchObject({
      metadata: { name: "capt-tfstate-u", namespace: "o" },
      type: "capt.infrastructure.cluster.x-k8s.io/tfstate",
    });
    expect(Object.keys(secret?.data ?? {})).toEqual(
      expect.arrayContaining(["state", "serial", "lineage", "inputs", "revision"]),
    );
    expect(Buffer.from(secret?.data["serial"] ?? "", "base64").toString()).toBe("7");
  });

  it("is split where the state is too big, and the index comes last", () => {
    const it = kept(stateOf(5_000));
    const secrets = toSecrets("u", it, { ...shelf, most: 1_000 }, undefined);
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.at(-1)?.metadata.name).toBe("capt-tfstate-u");
    expect(secrets[0]?.metadata.name).toBe("capt-tfstate-u-1");
    expect(read(secrets)).toEqual(it);
  });

  it("is written beside what the index names, so that a crash in between loses nothing", () => {
    const small = { ...shelf, most: 1_000 };
    const before = toSecrets("u", kept(stateOf(5_000, 1)), small, undefined);
    const after = toSecrets("u", kept(stateOf(5_000, 2)), small, before.at(-1)?.data);
    const names = (secrets: readonly RecordSecret[]) => secrets.slice(0, -1).map(({ metadata }) => metadata.name);
    expect(names(after).filter((name) => names(before).includes(name))).toEqual([]);
    expect(read([...after.slice(0, -1), ...before])?.state?.serial).toBe(1);
    expect(read([...before.slice(0, -1), ...after])?.state?.serial).toBe(2);
  });

  it("is unreadable where a part is missing or another's, rather than half", () => {
    const small = { ...shelf, most: 1_000 };
    const secrets = toSecrets("u", kept(stateOf(5_000)), small, undefined);
    expect(read(secrets.slice(1))).toBeUndefined();
    expect(fromSecrets({ data: {} }, [])).toBeUndefined();
  });
});

describe("where outputs go", () => {
  it("where they went before is known until it is looked after, and where they go again is not left", () => {
    const first = directed({}, "n/a", 1);
    const second = directed(first, "n/b", 2);
    expect([first, second]).toEqual([{ connection: "n/a" }, { connection: "n/b", left: { "n/a": 2 } }]);
    expect(directed(second, "n/a", 3)).toEqual({ connection: "n/a", left: { "n/b": 3 } });
    expect(directed(second, undefined, 3)).toEqual({ left: { "n/a": 2, "n/b": 3 } });
    const it = { ...kept(), ...second };
    expect(read(toSecrets("u", it, shelf, undefined))).toEqual(it);
  });
});
