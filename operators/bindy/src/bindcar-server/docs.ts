// The documents of the API, made from its routes, for whoever sets BIND_ENABLE_DOCS.
import { type Route, routes } from "./routes.ts";

export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace("{z}", "{zone}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const securitySchemes = { bearer: { type: "http", scheme: "bearer" } };
  return { openapi: "3.1.0", info: { title: "Bindcar", version }, paths, components: { securitySchemes } };
}

function operationOf({ path, means, body }: Route): object {
  const parameter = { name: "zone", in: "path", required: true, schema: { type: "string" } };
  const content = { "application/json": { schema: { type: "object" } } };
  const isOpen = path.endsWith("/health") || path.endsWith("/ready");
  return {
    summary: means,
    ...(path.includes("{z}") && { parameters: [parameter] }),
    ...(body === "json" && { requestBody: { required: true, content } }),
    ...(!isOpen && { security: [{ bearer: [] }] }),
    responses: { "2XX": { description: "Done", content }, default: { description: "Refused", content } },
  };
}

export function docsPage(version: string): string {
  const rows = routes.map(
    ({ method, path, means }) => `<tr><td>${method}</td><td><code>${path}</code></td><td>${means}</td></tr>`,
  );
  return `<!doctype html><title>Bindcar ${version}</title><h1>Bindcar ${version}</h1><table>${rows.join("")}</table>`;
}
