import { expect, test } from "vitest";
import { words } from "./words.ts";

const found = (text: string, path = "packages/kinds/src/a.ts") => words([{ path, text }]).map((it) => it.message);

test.each(["// TODO later", "// FIXME", "// XXX: odd", "/* HACK */", `"TODO"`])("%s is work left for later", (text) => {
  expect(found(text)).toHaveLength(1);
});

test.each(["todos", "mktemp -d a.XXXXXX", "the hack", "TODOS"])("%s is not", (text) => {
  expect(found(text)).toEqual([]);
});

test.each(["test.skip(`a`, f);", "describe.only(`a`, f);", "test.todo(`a`);", "test.only.each([1])(f);"])(
  "%s switches a test off",
  (text) => {
    expect(found(text, "packages/kinds/src/a.test.ts")).toHaveLength(1);
  },
);

test("skipIf, a string, and code that is no test do not", () => {
  expect(found(`test.skipIf(!assets)("a", f); b(".only(");`, "packages/kinds/src/a.test.ts")).toEqual([]);
  expect(found("list.skip(1)")).toEqual([]);
});

test.each(["cd /home/ada/telltale", "/Users/ada/x", "see /root/.cache", "/work/main", String.raw`C:\Users\ada`])(
  "%s is a machine's path",
  (text) => {
    expect(found(text, "docs/a.md")).toHaveLength(1);
  },
);

test.each(["~/.cache/telltale", "https://example.com/root/a", "../work/a", "/var/lib/home/a"])("%s is not", (text) => {
  expect(found(text, "docs/a.md")).toEqual([]);
});

test("a registry's address is found, in a lock file too", () => {
  expect(found(`"resolved": "https://example.com/a.tgz"`, "package-lock.json")).toHaveLength(1);
  expect(found("registry=https://example.com/", ".npmrc")).toHaveLength(1);
  expect(found("see registry.npmjs.org", "docs/a.md")).toHaveLength(1);
  expect(found("image: registry.k8s.io/pause:3.10", "deploy/a.yaml")).toEqual([]);
});

test("the line is that of the word", () => {
  expect(words([{ path: "a.md", text: "a\n\nTODO b\n" }])).toMatchObject([{ file: "a.md", line: 3, rule: "words" }]);
});

test("checksums are not words", () => {
  expect(found("a v1 h1:ab/XXX+c=", "tools/envtest/go.sum")).toEqual([]);
});
