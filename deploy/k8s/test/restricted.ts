import { isFields, textOf, type Fields, type Value } from "../render/value.ts";
import { at, itemsAt } from "./suite.ts";

/** Returns the reasons why the Pod Security Standard `restricted` refuses a Linux pod. */
export function refusedByRestricted(pod: Value | undefined): readonly string[] {
  const containers = ["containers", "initContainers", "ephemeralContainers"].flatMap((name) => itemsAt(pod, name));
  return [...ofPod(pod), ...containers.flatMap((container) => ofContainer(pod, container))];
}

const volumeKinds = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
const seccompTypes = new Set(["RuntimeDefault", "Localhost"]);
const safeSysctls =
  /^(kernel\.shm_rmid_forced|net\.ipv4\.(ip_local_port_range|ip_unprivileged_port_start|tcp_syncookies|ping_group_range|ip_local_reserved_ports|tcp_keepalive_(time|intvl|probes)|tcp_fin_timeout|tcp_rmem|tcp_wmem))$/;

function ofPod(pod: Value | undefined): readonly string[] {
  const kinds = itemsAt(pod, "volumes").flatMap((volume) => Object.keys(volume).filter((key) => key !== "name"));
  return [
    ...["hostNetwork", "hostPID", "hostIPC"].filter((name) => at(pod, name) === true),
    ...kinds.filter((kind) => !volumeKinds.has(kind)).map((kind) => `volume of kind ${kind}`),
    ...itemsAt(pod, "securityContext", "sysctls")
      .map(({ name }) => textOf(name))
      .filter((name) => !safeSysctls.test(name))
      .map((name) => `sysctl ${name}`),
  ];
}

function ofContainer(pod: Value | undefined, container: Fields): readonly string[] {
  const securityOf = (...path: readonly string[]) => at(container, "securityContext", ...path);
  // A container's setting has priority.
  const settingOf = (...path: readonly string[]) => securityOf(...path) ?? at(pod, "securityContext", ...path);
  const added = securityOf("capabilities", "add");
  const dropped = securityOf("capabilities", "drop");
  const procMount = securityOf("procMount");
  const problems: readonly (readonly [problem: string, refused: boolean])[] = [
    ["privileged", securityOf("privileged") === true],
    ["allowPrivilegeEscalation", securityOf("allowPrivilegeEscalation") !== false],
    ["runAsNonRoot", settingOf("runAsNonRoot") !== true],
    ["runAsUser 0", settingOf("runAsUser") === 0],
    ["seccompProfile", !seccompTypes.has(textOf(settingOf("seccompProfile", "type")))],
    ["capabilities are not dropped", !(Array.isArray(dropped) && dropped.includes("ALL"))],
    ["capabilities are added", Array.isArray(added) && added.some((one) => one !== "NET_BIND_SERVICE")],
    ["procMount", procMount !== undefined && procMount !== "Default"],
    ["hostPort", itemsAt(container, "ports").some((port) => port["hostPort"] !== undefined && port["hostPort"] !== 0)],
    ["seLinuxOptions", isFields(settingOf("seLinuxOptions"))],
    ["hostProcess", settingOf("windowsOptions", "hostProcess") === true],
  ];
  return problems.filter(([, refused]) => refused).map(([problem]) => `${textOf(container["name"])}: ${problem}`);
}

/** Returns every pod template, with the kind and name of its owner. */
export function podTemplatesIn(objects: readonly Fields[]): readonly (readonly [owner: string, pod: Value])[] {
  return objects.flatMap((object) => {
    const pod = at(object, "spec", "template", "spec");
    if (pod === undefined || !Array.isArray(at(pod, "containers"))) return [];
    return [[`${textOf(object["kind"])} ${textOf(at(object, "metadata", "name"))}`, pod] as const];
  });
}
