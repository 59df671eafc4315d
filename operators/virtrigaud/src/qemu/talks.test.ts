// Talks with QEMU and with a guest's agent, over real sockets, with somebody on the other side who behaves as told.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@telltale/clock";
import { afterAll, afterEach, expect, it } from "vitest";
import { addressesIn, execute, withAgent } from "./agent.ts";
import { systemHost } from "./host.ts";
import { startIn } from "./processes.ts";
import { Qmp } from "./qmp.ts";

const host = systemHost(systemClock, systemRandom);
const folder = mkdtempSync(join(tmpdir(), "tq-talk-"));
let server: Server | undefined;
afterEach(() => {
  server?.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

type Asked = { readonly execute: string; readonly arguments: Record<string, unknown>; readonly id?: number };

/** Somebody who answers each line with what he is told to. */
async function somebody(greets: string, answers: (asked: Asked, socket: Socket) => unknown): Promise<string> {
  const path = join(mkdtempSync(join(folder, "s-")), "s");
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(greets);
    socket.setEncoding("latin1").on("data", (text: string) => {
      for (const line of text
        .replaceAll("\xff", "")
        .split("\n")
        .filter((one) => one !== "")) {
        const answer = answers(JSON.parse(line), socket);
        if (answer !== undefined)
          socket.write(typeof answer === "string" ? Buffer.from(answer, "latin1") : `${JSON.stringify(answer)}\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return path;
}

const greeting = '{"QMP":{"version":{},"capabilities":["oob"]}}\n';

it("QEMU greets, answers in any order, and tells events between", async () => {
  const path = await somebody(greeting, ({ execute: what, id }) =>
    what === "slow"
      ? undefined
      : what === "fast"
        ? `{"event":"STOP","data":{"a":1}}\n{"return":"fast","id":${id}}\n{"return":"slow","id":${Number(id) - 1}}\n`
        : what === "bad"
          ? { error: { class: "GenericError", desc: "no" }, id }
          : { return: {}, id },
  );
  const qmp = await Qmp.open(host, path, 2000);
  const events: unknown[] = [];
  const silent = qmp.onEvent((name, data) => events.push([name, data]));
  expect(await Promise.all([qmp.execute("slow"), qmp.execute("fast")])).toEqual(["slow", "fast"]);
  expect(events).toEqual([["STOP", { a: 1 }]]);
  silent();
  await expect(qmp.execute("bad")).rejects.toMatchObject({ class: "GenericError", message: "no" });
  qmp.close();
  await expect(qmp.execute("fast")).rejects.toMatchObject({ class: "Closed" });
});

it("QEMU that says nothing, or goes away, is given up", async () => {
  await expect(Qmp.open(host, await somebody("", () => undefined), 20)).rejects.toMatchObject({ class: "Timeout" });
  const path = await somebody(greeting, ({ execute: what, id }, socket) =>
    what === "quit" ? void socket.destroy() : what === "hang" ? undefined : { return: {}, id },
  );
  const qmp = await Qmp.open(host, path, 2000);
  await expect(qmp.execute("hang", {}, 20)).rejects.toMatchObject({ class: "Timeout" });
  await expect(qmp.execute("quit")).rejects.toMatchObject({ class: "Closed" });
  expect(qmp.isOpen).toBe(false);
});

it("an agent is listened to only after it has answered to this very talk", async () => {
  const path = await somebody("", ({ execute: what, arguments: { id } }) =>
    what === "guest-sync-delimited"
      ? `{"return":"from before"}\n{"return":1}\n\xff{"return":${id}}\n`
      : { return: "fresh" },
  );
  expect(await withAgent(host, path, 2000, (ask) => ask("guest-ping"))).toBe("fresh");
  await expect(
    withAgent(host, await somebody("", () => undefined), 20, (ask) => ask("guest-ping")),
  ).rejects.toMatchObject({
    reason: "noAnswer",
  });
});

it("a command in a guest ends with its code and output, or with its time", async () => {
  let looks = 0;
  const path = await somebody("", ({ execute: what, arguments: { id } }) => {
    if (what === "guest-sync-delimited") return `\xff{"return":${id}}\n`;
    if (what === "guest-exec") return { return: { pid: 7 } };
    looks += 1;
    return { return: looks < 2 ? { exited: false } : { exited: true, exitcode: 3, "out-data": "aGk=" } };
  });
  const done = await withAgent(host, path, 2000, (ask) => execute(host, ask, ["true"], 5000));
  expect([done.exitCode, new TextDecoder().decode(done.stdout), done.stderr.length]).toEqual([3, "hi", 0]);
  looks = -1000;
  await expect(withAgent(host, path, 2000, (ask) => execute(host, ask, ["true"], 0))).rejects.toMatchObject({
    reason: "commandTimeout",
  });
});

it("what a guest says of its addresses is checked", () => {
  const guest = [
    { "ip-addresses": [{ "ip-address": "127.0.0.1" }, { "ip-address": "fe80::1" }, { "ip-address": "2001:db8::5" }] },
    {
      "ip-addresses": [
        { "ip-address": "10.0.2.15" },
        { "ip-address": "10.0.2.15" },
        { "ip-address": "<script>" },
        { "ip-address": 5 },
      ],
    },
    { "ip-addresses": "none" },
  ];
  expect(addressesIn(guest)).toEqual(["10.0.2.15", "2001:db8::5"]);
  expect(addressesIn("nonsense")).toEqual([]);
});

it("a process is known by its start time, also with brackets in its name, and not once it is dead", () => {
  const stat = (state: string) => `7 (a) b (c) ${state} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20`;
  expect([startIn(stat("S")), startIn(stat("Z"))]).toEqual(["4242", undefined]);
});
