export { buildConfigMap } from "./config-map.ts";
export { buildDeployment, type UsedKey } from "./deployment.ts";
export type { Generated, InlineSecret, KeyChoice, SecretRef } from "./key-choice.ts";
export { labelsOf } from "./labels.ts";
export { dnsPort } from "./named-conf.ts";
export { type InstanceIdentity, isSigning, type Nameserver, nameserverOf, portOf } from "./nameserver.ts";
export { encoded, generatedKeyName, isComplete, keyData, keyIn, parseKey, type RndcKey } from "./rndc-key.ts";
export { buildService } from "./service.ts";
export { moreKeysVolume } from "./volumes.ts";
