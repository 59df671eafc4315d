// What a person says about an image (3.8): where it comes from, and how it is prepared.
import { Dictionary, described, Enum, Fields, Flag, Int32, Optional, type Static, Text } from "@telltale/kinds";
import {
  duration,
  exactlyOne,
  flag,
  forPeople,
  inert,
  int,
  LocalRef,
  localRef,
  ObjectRef,
  pairs,
  unused,
  upTo,
} from "./fields.ts";

export const imageFormats = ["qcow2", "raw", "vmdk", "vhd", "vhdx", "iso", "ova", "ovf"] as const;
export type ImageFormat = (typeof imageFormats)[number];
export const checksumTypes = ["md5", "sha1", "sha256", "sha512"] as const;
export type ChecksumType = (typeof checksumTypes)[number];

const checksum = {
  checksum: Optional(Text()),
  checksumType: Optional(Enum(checksumTypes, { default: "sha256" })),
} as const;
const format = () => Optional(Enum(imageFormats, { default: "qcow2" }));
const key = (standard: string) => Optional(Text({ default: standard }));

const http = Fields({
  url: Text({ pattern: "^https?://.*" }),
  ...checksum,
  headers: Optional(Dictionary(Text(), { maxProperties: 20 })),
  timeout: duration("30m"),
  authentication: Optional(
    Fields({
      basicAuth: Optional(Fields({ secretRef: LocalRef, usernameKey: key("username"), passwordKey: key("password") })),
      bearer: Optional(Fields({ secretRef: LocalRef, tokenKey: key("token") })),
      clientCert: Optional(Fields({ secretRef: LocalRef, certKey: key("tls.crt"), keyKey: key("tls.key") })),
    }),
  ),
});

const libvirt = Fields({
  path: Optional(Text({ description: "A file that the provider has already" })),
  url: Optional(Text({ pattern: "^(https?|ftp)://.*" })),
  storagePool: upTo(255),
  format: format(),
  ...checksum,
});

const vsphere = Fields({
  templateName: upTo(255),
  contentLibrary: Optional(
    Fields({ library: Text({ maxLength: 255 }), item: Text({ maxLength: 255 }), version: Optional(Text()) }),
  ),
  ovaURL: Optional(Text({ pattern: "^https?://.*\\.(ova|ovf)$" })),
  providerRef: localRef(),
  ...checksum,
});

const proxmox = Fields({
  templateID: Optional(Int32({ minimum: 100, maximum: 999_999_999 })),
  templateName: upTo(255),
  node: upTo(255),
  storage: upTo(255),
  format: Optional(Enum(["raw", "qcow2", "vmdk"], { default: "qcow2" })),
  fullClone: flag(true),
});

const registry = Fields({
  image: Text({ pattern: "^[a-zA-Z0-9._/-]+:[a-zA-Z0-9._-]+$" }),
  format: format(),
  pullSecretRef: localRef(),
});

const sources = {
  libvirt: Optional(libvirt),
  vsphere: Optional(vsphere),
  proxmox: Optional(proxmox),
  http: Optional(http),
  registry: Optional(registry),
  dataVolume: Optional(described(ObjectRef, "A DataVolume")),
} as const;

/** In the order in which they count, where an older definition let several through. */
export const sourceNames = [
  "libvirt",
  "vsphere",
  "proxmox",
  "http",
  "registry",
  "dataVolume",
] as const satisfies readonly (keyof typeof sources)[];
export type SourceName = (typeof sourceNames)[number];

const prepare = Fields({
  onMissing: Optional(
    Enum(["Import", "Fail", "Wait"], { default: "Import", description: "What to do where a provider lacks the image" }),
  ),
  force: Optional(Flag({ description: "Prepare it anew for each change of the spec" })),
  retries: int(0, 10, 3),
  timeout: duration("30m"),
  validateChecksum: flag(true),
  storage: Optional(
    Fields({
      preferredFormat: Optional(Enum(imageFormats)),
      compression: inert(flag(false), "the provider decides"),
      libvirt: Optional(
        Fields({
          storagePool: upTo(255),
          allocationPolicy: Optional(Enum(["eager", "lazy"])),
          preallocation: Optional(Enum(["off", "metadata", "falloc", "full"])),
        }),
      ),
      vsphere: Optional(
        Fields({
          datastore: upTo(255),
          folder: upTo(255),
          diskType: Optional(Enum(["thin", "thick", "eagerzeroedthick"])),
          thinProvisioned: Optional(Flag()),
        }),
      ),
    }),
  ),
  optimization: inert(
    Optional(
      Fields({
        convertFormat: Optional(Enum(imageFormats)),
        enableCompression: flag(false),
        enableDeltaSync: flag(false),
        removeUnusedSpace: flag(false),
      }),
    ),
    "the image stays as it was fetched",
  ),
});

export const VMImageSpec = Fields({
  source: Fields(sources, { rules: [exactlyOne(sourceNames)] }),
  prepare: Optional(prepare),
  distribution: unused(
    Optional(
      Fields({
        name: Optional(
          Enum(["ubuntu", "centos", "rhel", "fedora", "debian", "suse", "windows", "freebsd", "coreos", "other"]),
        ),
        version: upTo(100),
        variant: upTo(100),
        family: Optional(Enum(["linux", "windows", "bsd", "other"])),
        kernel: Optional(
          Fields({ type: Optional(Enum(["linux", "windows", "freebsd", "other"])), version: Optional(Text()) }),
        ),
      }),
    ),
    forPeople,
  ),
  metadata: unused(
    Optional(
      Fields({
        displayName: upTo(255),
        description: upTo(1024),
        version: upTo(100),
        architecture: Optional(Enum(["amd64", "arm64", "x86_64", "aarch64"], { default: "amd64" })),
        tags: pairs(50),
        annotations: pairs(50),
      }),
    ),
    forPeople,
  ),
});
export type VMImageSpec = Static<typeof VMImageSpec>;
