import { startApiServer } from "@telltale/apiserver";

export async function first(): Promise<string> {
  const server = await startApiServer({ listen: false });
  const made = await server.client({
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "hello" }, data: { to: "you" } }),
  });
  await server.stop();
  return `${made.status} ${JSON.parse(made.body).metadata.name}`;
}
