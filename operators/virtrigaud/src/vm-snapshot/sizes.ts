// Bytes as Kubernetes writes them.
import { formatQuantity } from "@telltale/kinds";

export const gibibytes = (bytes: bigint): string =>
  formatQuantity({ nano: bytes * 1_000_000_000n, format: "BinarySI" });
