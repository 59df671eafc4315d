import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { told } from "../../test/told.ts";
import { commands } from "./commands.ts";
import { completion, shells } from "./completion.ts";

const names = ["bindy", "capt", "locust"];

test.each(shells)("%s knows every command and option", (shell) => {
  const script = completion(shell, commands, names);
  for (const { name, options } of commands) {
    expect(script).toContain(name);
    for (const option of Object.keys(options)) expect(script).toContain(option);
  }
});

/** What bash would offer for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const list = words.map((word) => `"${word}"`).join(" ");
  const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _telltale; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `${completion("bash", commands, names)}\n${ask}`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

test.each([
  [["telltale", "un"], ["uninstall"]],
  [["telltale", "up", "--me"], ["--memory"]],
  [["telltale", "install", "lo"], ["locust"]],
  [["telltale", "run", "--operators", ""], names],
  [
    ["telltale", "completion", ""],
    ["--help", ...shells],
  ],
])("bash completes %j", (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test("a shell that nobody knows is told of those that are known", async () => {
  expect(await told(["completion", "csh"])).toMatchObject({ code: 2, err: expect.stringContaining("bash, zsh, fish") });
});
