// Groups of the Kubernetes community need a sign that their API was reviewed: the annotation `api-approved.kubernetes.io`.
import { goQuote } from "../status.ts";

export const approvalAnnotation = "api-approved.kubernetes.io";

export interface Approval {
  readonly state: "Approved" | "Unapproved" | "Missing" | "Invalid";
  readonly reason: string;
}

export function isProtectedGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

export function approvalOf(annotation: string): Approval {
  const needed = `protected groups must have approval annotation ${goQuote(approvalAnnotation)}`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (annotation === "") return { state: "Missing", reason: `${needed}, ${see}` };
  if (annotation.startsWith("unapproved"))
    return { state: "Unapproved", reason: `not approved: ${goQuote(annotation)}` };
  if (/^[A-Za-z][-A-Za-z0-9+.]*:\/\/[^\s/?#]/.test(annotation))
    return { state: "Approved", reason: `approved in ${annotation}` };
  return { state: "Invalid", reason: `${needed} with either a URL or a reason starting with "unapproved", ${see}` };
}
