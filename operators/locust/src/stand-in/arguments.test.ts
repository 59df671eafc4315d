import { describe, expect, test } from "vitest";
import { programOf } from "./arguments.ts";

const read = (line: string, env: Readonly<Record<string, string>> = {}) =>
  programOf(
    line.split(" ").filter((it) => it !== ""),
    env,
  );
const here = import.meta.filename;

describe("a master", () => {
  test("is what the operator's command line says", () => {
    const line = `--locustfile ${here} --host https://shop --users 100 --spawn-rate 10 --run-time 5m --otel --master
      --master-port=5557 --expect-workers=3 --autostart --autoquit 30 --enable-rebalancing --only-summary`;
    expect(read(line.replaceAll(/\s+/g, " "))).toEqual({
      as: "master",
      own: { timeScale: 1, seed: 1, load: {} },
      master: {
        run: {
          users: 100,
          spawnRate: 10,
          runTime: 300_000,
          expectWorkers: 3,
          autostart: true,
          headless: false,
          autoquit: 30_000,
          rebalancing: true,
          resetStats: false,
          exitCodeOnError: 1,
        },
        web: { basePath: "", login: false, host: "127.0.0.1", port: 8089 },
        bind: { host: "127.0.0.1", port: 5557 },
      },
    });
  });

  test("takes ports and hosts from variables, as the process runtime gives them", () => {
    const env = {
      LOCUST_MASTER_BIND_PORT: "15557",
      LOCUST_MASTER_BIND_HOST: "127.0.0.9",
      LOCUST_WEB_PORT: "18089",
      LOCUST_WEB_HOST: "127.0.0.9",
      LOCUST_WEB_BASE_PATH: "/l",
      STAND_IN_TIME_SCALE: "20",
      STAND_IN_FAIL_RATIO: "0.5",
    };
    expect(read("--master --web-port 9", env)).toMatchObject({
      own: { timeScale: 20, load: { failRatio: 0.5 } },
      master: {
        web: { basePath: "/l", host: "127.0.0.9", port: 9 },
        bind: { host: "127.0.0.9", port: 15_557 },
      },
    });
  });

  test("has flags of its own", () => {
    const line = "--master --time-scale 5 --seed=9 --ctl-port 7 --fail-ratio=1 --rate 2 --reset-stats --headless";
    expect(read(`${line} --expect-workers-max-wait 9 --exit-code-on-error 3 --web-login`)).toMatchObject({
      own: { timeScale: 5, seed: 9, controlPort: 7, load: { failRatio: 1, rate: 2 } },
      master: {
        run: { resetStats: true, headless: true, expectWorkersMaxWait: 9_000, exitCodeOnError: 3 },
        web: { login: true },
      },
    });
  });
});

test("a worker knows its master", () => {
  const place = { host: "127.0.0.1", port: 15_557 };
  const own = { timeScale: 1, seed: 1, load: {} };
  expect(read("--worker --master-port=15557")).toEqual({ as: "worker", place, processes: 1, own });
  expect(read("--worker --processes 4", { LOCUST_MASTER_NODE_HOST: "m", LOCUST_MASTER_NODE_PORT: "9" })).toMatchObject({
    place: { host: "m", port: 9 },
    processes: 4,
  });
});

test.each([
  ["--nonsense --master", 2],
  ["--master -u x", 2],
  ["--master -u", 2],
  ["--master --run-time 5x", 2],
  ["--master --stop-timeout x", 2],
  ["--master --spawn-rate 0", 2],
  ["--master --expect-workers 0", 2],
  ["--master --exit-code-on-error x", 2],
  ["--master --web", 2],
  ["--slave", 2],
  ["--web-auth x", 2],
  ["--master --time-scale fast", 2],
  ["--master --autoquit 5", 1],
  ["--master --processes 2", 1],
  ["--master --web-base-path l", 1],
  ["--master -f nowhere.py", 1],
  ["-u 5", 1],
  ["--master --worker", 255],
  ["--version", 0],
  ["--help", 0],
])("%s exits with %i, as Locust does", (line, code) => {
  expect(read(line)).toMatchObject({ as: "exit", code });
});
