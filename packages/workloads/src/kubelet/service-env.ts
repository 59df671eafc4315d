// What the environment of a container says of Services: `<NAME>_SERVICE_HOST`, `<NAME>_SERVICE_PORT` and their older forms. Pure.
import type { Service } from "@telltale/kinds/builtin";

/** `services` is in the order in which later ones replace earlier ones of the same name. */
export function serviceEnvironment(services: readonly Service[]): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const service of services) Object.assign(env, variablesOf(service));
  return env;
}

function variablesOf({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const host = spec?.clusterIP ?? "";
  const [first] = spec?.ports ?? [];
  if (host === "" || host === "None" || first === undefined) return {};
  const name = variableName(metadata?.name ?? "");
  const env: Record<string, string> = {
    [`${name}_SERVICE_HOST`]: host,
    [`${name}_SERVICE_PORT`]: String(first.port),
    [`${name}_PORT`]: addressOf(host, first),
  };
  for (const port of spec?.ports ?? []) {
    if (port.name !== undefined && port.name !== "") {
      env[`${name}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
    }
    const protocol = protocolOf(port);
    const link = `${name}_PORT_${port.port}_${protocol}`;
    env[link] = addressOf(host, port);
    env[`${link}_PROTO`] = protocol.toLowerCase();
    env[`${link}_PORT`] = String(port.port);
    env[`${link}_ADDR`] = host;
  }
  return env;
}

interface Port {
  readonly port: number;
  readonly protocol?: string;
}

const protocolOf = ({ protocol }: Port): string => protocol ?? "TCP";
const addressOf = (host: string, port: Port): string => `${protocolOf(port).toLowerCase()}://${host}:${port.port}`;
const variableName = (name: string): string => name.toUpperCase().replaceAll("-", "_");
