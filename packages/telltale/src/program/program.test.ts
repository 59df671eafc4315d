// The program as a person meets it: words in, words and a code out.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { told } from "../../test/told.ts";
import { operators } from "../operators/table.ts";
import { commands } from "./commands.ts";
import { version } from "./version.ts";

const folder = mkdtempSync(join(tmpdir(), "telltale-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("without words it shows what there is, and ends with 2", async () => {
  const { out, code } = await told([]);
  for (const { name } of [...commands, ...operators]) expect(out).toContain(`  ${name}`);
  expect(code).toBe(2);
});

test.each(commands.map(({ name }) => name))(
  "telltale %s --help names every option, within 120 columns",
  async (name) => {
    const { out, code } = await told([name, "--help"]);
    expect(code).toBe(0);
    for (const option of Object.keys(commands.find((it) => it.name === name)?.options ?? {}))
      expect(out).toContain(`--${option}`);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
  },
);

test("its version is that of the package", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as object;
  expect(manifest).toMatchObject({ version });
  expect((await told(["--version"])).out).toBe(`${version}\n`);
});

describe("bad input is one clear line with a way out, a code that is not 0, and no trace", () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const nowhere = file(
    "nowhere",
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:9" } }],
      users: [{ name: "c", user: { token: "t" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    }),
  );
  const newer = mkdtempSync(join(folder, "newer-"));
  writeFileSync(join(newer, "telltale.json"), '{"format":99}');

  test.each([
    ["an unknown operator", ["up", "--operators", "locst"], /no operator locst; did you mean locust\?/],
    ["an unknown operator to install", ["install", "nobody"], /no operator nobody; choose from bindy, capt, locust/],
    ["no operator at all", ["install"], /no operator is named/],
    ["a kubeconfig that does not parse", ["tree", "--kubeconfig", file("odd", "a: [")], /odd: file: it cannot be read/],
    ["a kubeconfig that is not there", ["tree", "--kubeconfig", join(folder, "none")], /it does not exist; correct/],
    ["a cluster that does not answer", ["tree", "--kubeconfig", nowhere], /https:\/\/127\.0\.0\.1:9 does not answer/],
    ["no kubeconfig", ["why"], /telltale up/],
    ["a data folder of a newer version", ["up", "--data", newer], /newer telltale \(format 99.*; update telltale, or/],
    ["a data folder that is a file", ["up", "--data", nowhere], /cannot be used.*; choose another/],
    ["a port that is none", ["up", "--port", "99999"], /0 to 65535/],
    ["a setting that is not there", ["up", "--capt.secret-timeot=1m"], /did you mean secret-timeout\?/],
    [
      "a setting that is wrong",
      ["up", "--memory", "--operators=capt", "--capt.secret-timeout=soon"],
      /--secret-timeout/,
    ],
  ])("%s", async (_name, argv, expected) => {
    const { out, err, code } = await told(argv);
    expect(err).toMatch(expected);
    expect(
      err
        .trimEnd()
        .split("\n")
        .filter((line) => line.startsWith("telltale:")),
    ).toHaveLength(1);
    expect(err).not.toMatch(/\n\s+at /);
    expect(code).toBeGreaterThan(0);
    expect(out).toBe("");
  });

  test("a port that is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const { err, code } = await told(["up", "--memory", "--port", String(port)]);
    server.close();
    expect(err).toBe(
      `telltale: port ${port} is taken; choose another with --port, or leave --port out for a free one\n`,
    );
    expect(code).toBe(1);
  });
});
