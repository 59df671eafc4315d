export { buildConfigMap } from "./config-map.ts";
export { buildDeployment, type UsedKey } from "./deployment.ts";
export type { Generated, InlineSecret, KeyChoice } from "./key-choice.ts";
export { labelsOf } from "./labels.ts";
export { dnsPort } from "./named-conf.ts";
export { isSigning, type Nameserver, nameserverOf, signingSecret } from "./nameserver.ts";
export {
  encoded,
  generatedKeyName,
  isComplete,
  isSound,
  keyData,
  keyFile,
  keyIn,
  parseKey,
  type RndcKey,
} from "./rndc-key.ts";
export { buildService } from "./service.ts";
export { unsupportedIn } from "./unsupported.ts";
export { moreKeysVolume } from "./volumes.ts";
