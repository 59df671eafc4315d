export { Prober, type ServedZone } from "./prober.ts";
export { endpointOf, targetOf } from "./target.ts";
