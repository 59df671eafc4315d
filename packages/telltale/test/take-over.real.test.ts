// Another controller of the same kinds, on a real kube-apiserver.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { afterAll, beforeAll, describe } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { accountOf } from "./life.ts";
import { takeOverTests } from "./take-over.ts";

const assets = assetsFor("another controller of the same kinds");

describe.skipIf(assets === undefined)("beside another controller of the same kinds", () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-take-over-"));
  let controlPlane: ControlPlane;
  let transport: ReturnType<typeof httpTransport>;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ assets: assets ?? "" });
    transport = httpTransport(await findConnection({ clock, path: controlPlane.kubeconfig, env: {} }));
  });
  afterAll(async () => {
    await transport?.close();
    await controlPlane?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  takeOverTests({
    transport: () => transport,
    kubeconfig: () => controlPlane.kubeconfig,
    async accountKubeconfig() {
      const { text } = await createClient({ transport, clock, random }).request({
        method: "POST",
        path: "/api/v1/namespaces/locust-system/serviceaccounts/locust/token",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
      });
      const { status } = JSON.parse(text) as { status: { token: string } };
      const file = join(folder, "account");
      writeFileSync(file, accountOf(readFileSync(controlPlane.kubeconfig, "utf8"), status.token));
      return file;
    },
  });
});
