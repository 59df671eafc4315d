// What the process is told about providers (8.1).

export interface ProviderSettings {
  /** `--allow-external-provider-endpoints`: whether the annotation `virtrigaud.io/runtime-endpoint` counts. */
  readonly allowExternalProviderEndpoints: boolean;
  /** `VIRTRIGAUD_LEGACY_PROVIDER_CONDITIONS`: whether two conditions are also there under their old names. */
  readonly legacyProviderConditions: boolean;
  /** `--allow-cross-namespace-refs`: whether machines of every namespace may refer to a provider. */
  readonly allowCrossNamespaceRefs: boolean;
  /** The namespaces that are watched; absent: all. */
  readonly namespaces?: readonly string[];
  /** Passes at a time. */
  readonly workers: number;
}

export const standardProviderSettings: ProviderSettings = {
  allowExternalProviderEndpoints: false,
  legacyProviderConditions: false,
  allowCrossNamespaceRefs: false,
  workers: 5,
};
