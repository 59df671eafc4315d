// Another controller of the same kinds, on the embedded server.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { inProcessTransport } from "@telltale/client";
import { afterAll, beforeAll, describe } from "vitest";
import { accountOf } from "./life.ts";
import { takeOverTests } from "./take-over.ts";

describe("beside another controller of the same kinds", () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-take-over-"));
  const kubeconfig = join(folder, "kubeconfig");
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer();
    writeFileSync(kubeconfig, server.kubeconfig());
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  takeOverTests({
    transport: () => inProcessTransport(server.client),
    kubeconfig: () => kubeconfig,
    async accountKubeconfig() {
      const { body } = await server.client({
        method: "POST",
        path: "/api/v1/namespaces/locust-system/serviceaccounts/locust/token",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
      });
      const { status } = JSON.parse(body) as { status: { token: string } };
      const file = join(folder, "account");
      writeFileSync(file, accountOf(server.kubeconfig(), status.token));
      return file;
    },
  });
});
