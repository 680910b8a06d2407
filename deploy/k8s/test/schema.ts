import * as ciliumV2 from "@kubernetes-models/cilium/cilium.io/v2";
import * as gatewayV1 from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1";
import * as kedaV1alpha1 from "@kubernetes-models/keda/keda.sh/v1alpha1";
import * as monitoringV1 from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import * as appsV1 from "kubernetes-models/apps/v1";
import * as autoscalingV2 from "kubernetes-models/autoscaling/v2";
import * as networkingV1 from "kubernetes-models/networking.k8s.io/v1";
import * as policyV1 from "kubernetes-models/policy/v1";
import * as coreV1 from "kubernetes-models/v1";
import { isFields, textOf, type Fields, type Value } from "../render/value.ts";

/** Classes of API groups. The class of each kind has a validator. */
const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  v1: coreV1,
  "apps/v1": appsV1,
  "autoscaling/v2": autoscalingV2,
  "networking.k8s.io/v1": networkingV1,
  "policy/v1": policyV1,
  "cilium.io/v2": ciliumV2,
  "gateway.networking.k8s.io/v1": gatewayV1,
  "keda.sh/v1alpha1": kedaV1alpha1,
  "monitoring.coreos.com/v1": monitoringV1,
};

/** Returns the problems of an object: wrong, missing and unknown members. */
export function problemsOf(object: Fields): readonly string[] {
  const kind = groups[textOf(object["apiVersion"])]?.[textOf(object["kind"])];
  if (typeof kind !== "function")
    return [`${textOf(object["apiVersion"])} ${textOf(object["kind"])} is not a known kind`];
  const prototype: { validate: () => void } = kind.prototype;
  const read = new Set<string>();
  try {
    prototype.validate.call(watched(object, "", read));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return unread(object, "", read).map((path) => `${path} is not a member of the schema`);
}

/**
 * Records the members that a validator reads. The schemas accept unknown members, but a validator does not read them.
 */
function watched<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      const memberPath = `${path}/${String(name)}`;
      read.add(memberPath);
      return typeof member === "object" && member !== null ? watched(member, memberPath, read) : member;
    },
  });
}

function unread(value: Value, path: string, read: ReadonlySet<string>): readonly string[] {
  const members = Array.isArray(value)
    ? value.map((item: Value, index): [string, Value] => [String(index), item])
    : isFields(value)
      ? Object.entries(value)
      : [];
  return members.flatMap(([name, member]) => {
    const memberPath = `${path}/${name}`;
    return read.has(memberPath) ? unread(member, memberPath, read) : [memberPath];
  });
}
