import { expect, test } from "vitest";
import { serviceEnvironment } from "./service-env.ts";

test("a Service is told of in all the forms that programs know", () => {
  const ports = [
    { name: "web", port: 80 },
    { name: "dns-udp", port: 53, protocol: "UDP" },
  ];
  expect(serviceEnvironment([{ metadata: { name: "my-app" }, spec: { clusterIP: "10.96.0.7", ports } }])).toEqual({
    MY_APP_SERVICE_HOST: "10.96.0.7",
    MY_APP_SERVICE_PORT: "80",
    MY_APP_SERVICE_PORT_WEB: "80",
    MY_APP_SERVICE_PORT_DNS_UDP: "53",
    MY_APP_PORT: "tcp://10.96.0.7:80",
    MY_APP_PORT_80_TCP: "tcp://10.96.0.7:80",
    MY_APP_PORT_80_TCP_PROTO: "tcp",
    MY_APP_PORT_80_TCP_PORT: "80",
    MY_APP_PORT_80_TCP_ADDR: "10.96.0.7",
    MY_APP_PORT_53_UDP: "udp://10.96.0.7:53",
    MY_APP_PORT_53_UDP_PROTO: "udp",
    MY_APP_PORT_53_UDP_PORT: "53",
    MY_APP_PORT_53_UDP_ADDR: "10.96.0.7",
  });
});

test("one without an address or ports is not, and of one name the later counts", () => {
  const ports = [{ port: 80 }];
  const services = [
    { metadata: { name: "headless" }, spec: { clusterIP: "None", ports } },
    { metadata: { name: "external" }, spec: { ports } },
    { metadata: { name: "portless" }, spec: { clusterIP: "10.96.0.8" } },
    { metadata: { name: "same" }, spec: { clusterIP: "10.96.0.1", ports } },
    { metadata: { name: "same" }, spec: { clusterIP: "10.96.0.2", ports } },
  ];
  const env = serviceEnvironment(services);
  expect(env["SAME_SERVICE_HOST"]).toBe("10.96.0.2");
  expect(Object.keys(env).filter((name) => !name.startsWith("SAME_"))).toEqual([]);
});
