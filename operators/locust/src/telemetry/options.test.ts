import { describe, expect, test } from "vitest";
import { parseLocustArgs, parseTimespan } from "./options.ts";

const standard = { headless: false, webPort: 8089, basePath: "", tls: false, login: false, webHost: "" };
const parsed = (line: string, env: Readonly<Record<string, string>> = {}) =>
  parseLocustArgs(
    line.split(" ").filter((it) => it !== ""),
    Object.entries(env).map(([name, value]) => ({ name, value })),
  );

describe("the command line of the master", () => {
  test("says nothing where nothing is said", () => expect(parsed("--master --autostart")).toEqual(standard));

  test.each(["-u 7", "-u7", "-u=7", "--users 7", "--users=7", "--user 7", "-u +7", "-u 3 --users 7", "--users=07"])(
    "%s are 7 users",
    (line) => expect(parsed(line)).toEqual({ ...standard, users: 7 }),
  );

  test.each(["-t 5m", "-t5m", "--run-time=300", "--run 5m", "--run-time 1h -t 4m60s"])("%s is five minutes", (line) =>
    expect(parsed(line)).toEqual({ ...standard, runTimeSeconds: 300 }),
  );

  test.each([
    ["-P 9000", { webPort: 9000 }],
    ["--web-p 9000", { webPort: 9000 }],
    ["--web-base-path /l/", { basePath: "/l" }],
    ["--web-host=127.0.0.1", { webHost: "127.0.0.1" }],
    ["--tls-cert c.pem --tls-key k.pem", { tls: true }],
    ["--tls-cert c.pem", {}],
    ["--web-login", { login: true }],
    ["--headless", { headless: true }],
    ["--headless --headful", {}],
  ])("%s is understood", (line, options) => expect(parsed(line)).toEqual({ ...standard, ...options }));

  test.each(["-u seven", "-u -7", "-u 7.5", "-u 99999999999", "-u", "-t soon", "-t 5m1h", "-t 0", "-P 70000", "-P 0"])(
    "%s is not known",
    (line) => expect(parsed(line)).toEqual(standard),
  );

  test("the last word counts, also where it cannot be read", () =>
    expect(parsed("-u 5 -u five", { LOCUST_USERS: "9" })).toEqual(standard));

  test("values of other flags, tags, user classes and unknown flags are not taken for something else", () => {
    const line = "-f users.py -H https://u:p@shop --tags a b -u 5 --my-token=-u9 --custom -u6 Shopper -- -u 8";
    expect(parsed(line)).toEqual({ ...standard, users: 6 });
  });

  test.each(["l", "/../../secrets", "/a/./b", "/a%2e%2e", "/a?x=1", "/a#b", "/a b", "//a", "/$(BASE)"])(
    "the base path %s is not used",
    (path) => expect(parseLocustArgs(["--web-base-path", path], [])).toEqual(standard),
  );
});

describe("variables", () => {
  test("are used where the command line says nothing", () => {
    const env = {
      LOCUST_USERS: "9",
      LOCUST_RUN_TIME: "90",
      LOCUST_WEB_PORT: "9001",
      LOCUST_WEB_BASE_PATH: "/e",
      LOCUST_WEB_HOST: "::1",
      LOCUST_TLS_CERT: "c",
      LOCUST_TLS_KEY: "k",
      LOCUST_WEB_LOGIN: "Yes",
      LOCUST_HEADLESS: "1",
    };
    const all = {
      users: 9,
      runTimeSeconds: 90,
      webPort: 9001,
      basePath: "/e",
      webHost: "::1",
      tls: true,
      login: true,
      headless: true,
    };
    expect(parsed("", env)).toEqual(all);
    expect(parsed("-u 1 -t 2s -P 3", env)).toEqual({ ...all, users: 1, runTimeSeconds: 2, webPort: 3 });
    expect(parsed("--headful", env).headless).toBe(false);
  });

  test("that are no clear yes are no", () => {
    for (const value of ["false", "0", "", "no", "maybe"])
      expect(parsed("", { LOCUST_HEADLESS: value }).headless).toBe(false);
  });

  test("of which the last one is not literal are not known", () => {
    const env = [{ name: "LOCUST_USERS", value: "5" }, { name: "LOCUST_USERS" }];
    expect(parseLocustArgs([], env)).toEqual(standard);
    expect(parsed("-u $(USERS)", { LOCUST_USERS: "5" })).toEqual(standard);
    expect(parsed("", { LOCUST_RUN_TIME: "$(TIME)" })).toEqual(standard);
  });
});

test.each([
  ["20", 20],
  ["20s", 20],
  ["3m", 180],
  ["2h", 7200],
  ["1h20m", 4800],
  ["3h30m10s", 12_610],
  ["0", 0],
  ["", undefined],
  ["5x", undefined],
  ["1h20m5", undefined],
  ["20m1h", undefined],
  ["1h 20m", undefined],
  ["-5", undefined],
  ["1.5h", undefined],
  ["9".repeat(400), undefined],
])("the time span %j is %s seconds", (text, seconds) => expect(parseTimespan(text)).toBe(seconds));
