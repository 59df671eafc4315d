import { toCrd } from "@telltale/kinds";
import { rbacManifests } from "@telltale/runtime";
import { Sandbox, sandboxes } from "./sandbox.example.ts";

const replicas = { as: "lease", namespace: "operators" } as const;
const roles = rbacManifests({ name: "sandboxes", namespace: "operators", controllers: [sandboxes], replicas });
console.log(JSON.stringify({ apiVersion: "v1", kind: "List", items: [toCrd(Sandbox), ...roles] }, undefined, 2));
