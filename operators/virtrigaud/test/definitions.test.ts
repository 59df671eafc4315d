import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe } from "vitest";
import { virtrigaudCrds } from "../src/kinds/index.ts";
import { type Ask, definitionTests } from "./definitions.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({
    listen: false,
    clock: new VirtualClock(),
    random: seededRandom(1),
    authorization: "always-allow",
    objects: virtrigaudCrds() as readonly KubeObject[],
  });
});
afterAll(() => server.stop());

const ask: Ask = async (method, path, body, headers = {}) => {
  const answer = await server.client({
    method,
    path,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(answer.body) };
};

describe("the embedded server", () => definitionTests(ask));
