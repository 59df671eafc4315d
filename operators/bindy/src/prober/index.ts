export { maxAnswerAgeMs, maxProbePauseMs, maxUnnoticedLossMs, Prober } from "./prober.ts";
export { endpointOf, targetOf } from "./target.ts";
