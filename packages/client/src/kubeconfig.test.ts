import { describe, expect, it } from "vitest";
import { fakeFiles } from "../test/fake-machine.ts";
import { kubeconfigPaths, loadKubeconfig, parseKubeconfig } from "./kubeconfig.ts";

/** A file with one context, cluster and user of each given name. */
function file(current: string, ...entries: [name: string, server: string][]): string {
  const list = (member: string, value: (name: string, server: string) => string) =>
    entries.map(([name, server]) => `- name: ${name}\n  ${member}: ${value(name, server)}`).join("\n") || `[]`;
  return [
    ...(current === "" ? [] : [`current-context: ${current}`]),
    `clusters:\n${list("cluster", (_, server) => `{ server: "${server}" }`)}`,
    `contexts:\n${list("context", (name) => `{ cluster: ${name}, user: ${name} }`)}`,
    `users:\n${list("user", (name, server) => `{ token: "${name}@${server}" }`)}`,
  ].join("\n");
}

describe("which files count", () => {
  it.each([
    ["a given path alone, whatever the environment says", { path: "x", env: { KUBECONFIG: "a:b" }, home: "/u" }, ["x"]],
    ["the list of the environment, in its order", { env: { KUBECONFIG: "b:a" }, home: "/u" }, ["b", "a"]],
    ["empty and double names in it only once or not at all", { env: { KUBECONFIG: ":a::b:a:" } }, ["a", "b"]],
    ["the other system's delimiter", { env: { KUBECONFIG: "C:a;b" }, delimiter: ";" }, ["C:a", "b"]],
    ["the home folder's, where the list is empty", { env: { KUBECONFIG: "" }, home: "/u" }, ["/u/.kube/config"]],
    ["none without a home", { env: {} }, []],
  ])("%s", (_name, place, paths) => {
    expect(kubeconfigPaths(place)).toEqual(paths);
  });
});

describe("kubectl's rules for merging", () => {
  const one = file("red", ["red", "https://one"]);
  const two = file("blue", ["red", "https://two"], ["blue", "https://two"]);
  const without = file("", ["green", "https://three"]);

  it.each([
    ["the first file to set the current context wins", "/1:/2", "red", ["red", "blue"], "https://one"],
    ["so the order matters", "/2:/1", "blue", ["red", "blue"], "https://two"],
    [
      "a file without a current context leaves it to the next",
      "/3:/2",
      "blue",
      ["green", "red", "blue"],
      "https://two",
    ],
    ["a missing file is passed over", "/none:/1", "red", ["red"], "https://one"],
    ["an empty file is passed over", "/empty:/1", "red", ["red"], "https://one"],
  ])("%s", async (_name, list, current, contexts, serverOfRed) => {
    const files = fakeFiles({ "/1": one, "/2": two, "/3": without, "/empty": "\n" });
    const merged = await loadKubeconfig({ files, env: { KUBECONFIG: list } });
    expect(merged.currentContext).toBe(current);
    expect([...merged.contexts.keys()]).toEqual(contexts);
    expect(merged.clusters.get("red")?.value.server).toBe(serverOfRed);
  });

  it("an entry wins whole: the fields of a later one of the same name add nothing", async () => {
    const first = `users: [{ name: red, user: { token: t } }]`;
    const second = `users: [{ name: red, user: { username: u, password: p } }]`;
    const files = fakeFiles({ "/1": first, "/2": second });
    const merged = await loadKubeconfig({ files, env: { KUBECONFIG: "/1:/2" } });
    expect(merged.users.get("red")).toEqual({ file: "/1", value: { token: "t" } });
  });

  it("each entry knows its own file", async () => {
    const files = fakeFiles({ "/a/1": one, "/b/2": two });
    const merged = await loadKubeconfig({ files, env: { KUBECONFIG: "/a/1:/b/2" } });
    expect([merged.users.get("red")?.file, merged.users.get("blue")?.file]).toEqual(["/a/1", "/b/2"]);
  });

  it("a file that was asked for by name must exist", async () => {
    await expect(loadKubeconfig({ files: fakeFiles({}), env: {}, path: "/x" })).rejects.toThrow(
      "/x: file: it does not exist; correct the path",
    );
  });
});

describe("a file that cannot be meant", () => {
  it.each([
    ["broken YAML", "a: [", /^\/f: file: it cannot be read: .+; correct the YAML$/],
    ["a list", "- a", "/f: file: it is no kubeconfig"],
    ["clusters as a mapping", "clusters: { a: 1 }", "/f: clusters: it is no list"],
    ["an entry without a name", "users: [{ user: {} }]", "/f: users[0].name: it is missing; name the entry"],
    ["a name twice", "users: [{ name: a }, { name: a }]", "/f: users[1].name: a is there twice"],
    ["an entry that is a text", "users: [{ name: a, user: b }]", "/f: users[0].user: it is no mapping"],
    ["a current context that is a list", "current-context: [a]", "/f: current-context: it is no text"],
  ])("%s is named with its place and the way out", async (_name, text, message) => {
    await expect(parseKubeconfig("/f", text)).rejects.toThrow(message);
  });
});

it("reads JSON too", async () => {
  const config = await parseKubeconfig("/f", `{"current-context":"a","contexts":null}`);
  expect(config.currentContext).toBe("a");
});
