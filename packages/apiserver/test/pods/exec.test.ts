// Commands in containers, and their main processes, over WebSockets.
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Command } from "./fake-access.ts";
import { pods, type Stage, stage } from "./stage.ts";

let it: Stage;
beforeEach(async () => {
  it = await stage();
  await it.pod("p");
});
afterEach(() => it.server.stop());

const exec = (query = "command=sh&command=-c&command=x&stdout=true&stderr=true") => `${pods}/p/exec?${query}`;
const upgrade = (protocol = "v5.channel.k8s.io") => ({
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  "sec-websocket-protocol": protocol,
});
const played = (play: (command: Command) => void = () => {}): Promise<Command> =>
  new Promise((resolve) => {
    it.access.play = (command) => {
      play(command);
      resolve(command);
    };
  });

describe("a command", () => {
  test.each(["v5.channel.k8s.io", "v4.channel.k8s.io"])(
    "says what it has to say, and how it ended, by %s",
    async (protocol) => {
      const command = played();
      const talk = it.open(exec(), ["v9.channel.k8s.io", protocol]);
      expect(await talk.opened).toBe(protocol);
      const { options, stdout, stderr, exit } = await command;
      expect(options).toMatchObject({ container: "main", command: ["sh", "-c", "x"], stdin: false, tty: false });
      stdout.write("out");
      await talk.until(() => talk.on(1) === "out");
      stderr.write("err");
      stdout.write("more");
      exit(0);
      expect(await talk.closed).toBe(1000);
      expect([talk.on(1), talk.on(2)]).toEqual(["outmore", "err"]);
      expect(JSON.parse(talk.on(3))).toEqual({ metadata: {}, status: "Success" });
      expect(talk.heard[0]).toEqual({ channel: 1, text: "" });
    },
  );

  test("that fails says its exit code", async () => {
    it.access.play = (command) => command.exit(3);
    const talk = it.open(exec());
    await talk.closed;
    expect(JSON.parse(talk.on(3))).toEqual({
      metadata: {},
      status: "Failure",
      message: "command terminated with non-zero exit code: exit status 3",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
  });

  test("that cannot be started says why", async () => {
    it.access.failure = new Error("no program sh");
    const talk = it.open(exec());
    await talk.closed;
    expect(JSON.parse(talk.on(3))).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      message: "Internal error occurred: error executing command in container: no program sh",
      code: 500,
    });
  });

  test("hears what the client writes, to the end", async () => {
    const heard = new Promise<Command>((resolve) => {
      it.access.play = (command) => {
        command.heard = () => {
          if (command.input.includes(undefined)) resolve(command);
        };
      };
    });
    const talk = it.open(exec("command=cat&stdin=1&stdout=1"));
    await talk.opened;
    talk.say(0, "hel");
    talk.say(4, '{"Width":80,"Height":25}');
    talk.say(0, "lo");
    talk.say(255, "\0");
    talk.say(0, "too late");
    const { input, exit } = await heard;
    exit(0);
    await talk.closed;
    expect(input).toEqual(["hel", "lo", undefined]);
  });

  test("that takes no more input goes on without", async () => {
    let tries = 0;
    const command = played((it) => {
      it.write = () => {
        tries += 1;
        throw new Error("EPIPE");
      };
    });
    const talk = it.open(exec("command=head&stdin=1&stdout=1"));
    await talk.opened;
    talk.say(0, "a");
    talk.say(0, "b");
    const { exit, stdout } = await command;
    stdout.write("x");
    await talk.until(() => talk.on(1) === "x");
    exit(0);
    await talk.closed;
    expect(tries).toBe(1);
  });

  test("that takes no input hears none", async () => {
    const command = played();
    const talk = it.open(exec("command=cat&stdout=1"));
    await talk.opened;
    talk.say(0, "hello");
    const { input, exit, stdout } = await command;
    stdout.write("x");
    await talk.until(() => talk.on(1) === "x");
    exit(0);
    await talk.closed;
    expect(input).toEqual([]);
  });

  test("with a terminal has one output", async () => {
    const command = played();
    const talk = it.open(exec("command=sh&stdin=1&stdout=1&stderr=1&tty=1"));
    const { options, exit } = await command;
    exit(0);
    await talk.closed;
    expect(options).toMatchObject({ tty: true, stdin: true, stdout: true, stderr: false });
  });

  test("is ended when its client goes away", async () => {
    const command = played();
    const talk = it.open(exec());
    const { options } = await command;
    const aborted = new Promise((resolve) => options.signal.addEventListener("abort", resolve));
    talk.close();
    await aborted;
  });

  test("is ended when the server stops", async () => {
    const command = played();
    const talk = it.open(exec());
    await command;
    await talk.opened;
    await it.server.stop();
    expect(await talk.closed).toBe(1000);
  });

  test("may write a lot", async () => {
    const big = "x".repeat(200_000);
    const command = played();
    const talk = it.open(exec());
    const { stdout, exit } = await command;
    for (let i = 0; i < 50; i += 1) stdout.write(big);
    exit(0);
    await talk.closed;
    expect(talk.on(1)).toHaveLength(50 * big.length);
  });
});

test("whoever attaches sees the main process, and is not told how it ended", async () => {
  const command = played();
  const talk = it.open(`${pods}/p/attach?container=main`);
  const { options, stdout, exit } = await command;
  stdout.write("there");
  exit(1);
  await talk.closed;
  expect(options).toMatchObject({ container: "main", stdout: true, stderr: true, stdin: false });
  expect(options.command).toBeUndefined();
  expect([talk.on(1), JSON.parse(talk.on(3))]).toEqual(["there", { metadata: {}, status: "Success" }]);
});

describe("refused is", () => {
  test.each([
    ["what is no WebSocket", exec(), {}, "400 Upgrade request required"],
    [
      "SPDY",
      exec(),
      { headers: { connection: "Upgrade", upgrade: "SPDY/3.1" }, method: "POST" },
      "400 SPDY/3.1 is not served, WebSocket is: use kubectl 1.31 or newer, or a client that speaks v5.channel.k8s.io or v4.channel.k8s.io",
    ],
    [
      "a protocol that nobody knows",
      exec(),
      { headers: upgrade("channel.k8s.io") },
      "400 none of the protocols [channel.k8s.io] is served; use v5.channel.k8s.io or v4.channel.k8s.io",
    ],
    [
      "a WebSocket of another version",
      exec(),
      { headers: { ...upgrade(), "sec-websocket-version": "8" } },
      "400 a WebSocket of version 13 is served, no other\n",
    ],
    [
      "a WebSocket without a key",
      exec(),
      { headers: { ...upgrade(), "sec-websocket-key": "x" } },
      "400 Sec-WebSocket-Key has to be 16 bytes in base64\n",
    ],
    [
      "no command",
      exec("stdout=1"),
      { headers: upgrade() },
      "400 you must specify at least one command for the container",
    ],
    [
      "a command to nobody",
      exec("command=x"),
      { headers: upgrade() },
      "400 you must specify at least 1 of stdin, stdout, stderr",
    ],
    [
      "a container that is not there",
      exec("command=x&stdout=1&container=other"),
      { headers: upgrade() },
      "400 container other is not valid for pod p",
    ],
    ["a pod that is not there", `${pods}/none/exec?command=x`, { headers: upgrade() }, '404 pods "none" not found'],
    [
      "somebody who may not",
      exec(),
      { headers: upgrade(), token: "jane" },
      '403 pods "p" is forbidden: User "jane" cannot get resource "pods/exec" in API group "" in the namespace "default"',
    ],
  ])("%s", async (_, path, asking, expected) => {
    expect(await it.refusal(path, asking)).toBe(expected);
    expect(it.access.asked).toEqual([]);
  });

  test("somebody who may only look: what a command does is no reading", async () => {
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "looker" };
    const rules = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }];
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await it.call("POST", `${rbac}/roles`, { metadata: { name: "looker" }, rules });
    const subjects = [{ apiGroup: role.apiGroup, kind: "User", name: "jane" }];
    await it.call("POST", `${rbac}/rolebindings`, { metadata: { name: "b" }, roleRef: role, subjects });
    expect(await it.refusal(exec(), { headers: upgrade(), token: "jane" })).toBe(
      '403 pods "p" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "default"',
    );
  });

  test("a pod that is nowhere yet", async () => {
    await it.call("POST", pods, { metadata: { name: "q" }, spec: { containers: [{ name: "main", image: "i" }] } });
    expect(await it.refusal(`${pods}/q/exec?command=x&stdout=1`, { headers: upgrade() })).toBe(
      "400 pod q does not have a host assigned",
    );
  });
});

test("a client that speaks no sense is let go, and its command with it", async () => {
  const command = played();
  const socket = connect(it.server.port ?? 0, "127.0.0.1");
  const headers = { ...upgrade(), host: "x", authorization: "Bearer admin" };
  socket.write(
    [`GET ${exec()} HTTP/1.1`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join(
      "\r\n",
    ),
  );
  const { options } = await command;
  const aborted = new Promise((resolve) => options.signal.addEventListener("abort", resolve));
  socket.write(Buffer.from([0xff, 0xff, 0xff]));
  await aborted;
  socket.destroy();
});

test("a request to become something else is answered as if it had not asked", async () => {
  const answer = await it.ask("/api/v1/namespaces/default", { headers: { connection: "Upgrade", upgrade: "h2c" } });
  expect(answer.statusCode).toBe(200);
  const other = await it.ask("/api/v1/namespaces/default", { headers: upgrade() });
  expect([other.statusCode, other.headers.connection]).toEqual([200, "close"]);
});
