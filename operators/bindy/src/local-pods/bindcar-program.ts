// Runs Bindcar as a container of the process runtime: the same program, told where its pod's ports and files really are.
const { env } = process;
const {
  TELLTALE_ROOT: root = "",
  POD_IP: address = "127.0.0.1",
  LOCAL_API_SERVER: server,
  LOCAL_MODE: mode = "real",
} = env;

const port = env["API_PORT"] ?? "8080";
const account = `${root}/var/run/secrets/kubernetes.io/serviceaccount`;
Object.assign(env, {
  BIND_API_ADDRESS: address,
  API_PORT: env[`PORT_${port}`] ?? port,
  RNDC_SERVER: `${address}:${env["PORT_9530"] ?? "9530"}`,
  NSUPDATE_SERVER: address,
  NSUPDATE_PORT: env["PORT_5353"] ?? "5353",
  PATH: env["LOCAL_PATH"] ?? "",
});
if (server !== undefined)
  Object.assign(env, {
    KUBE_API_SERVER: server,
    KUBE_TOKEN_PATH: `${account}/token`,
    KUBE_CA_CERT_PATH: `${account}/ca.crt`,
  });

await (mode === "simulated" ? import("../bindcar-simulated/main.ts") : import("../bindcar-server/main.ts"));
