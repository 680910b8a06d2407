import { execFile, execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nameOf, renderFolder } from "./render/kustomize.ts";
import { isFields, textOf, type Fields } from "./render/value.ts";
import { at, itemsAt } from "./test/suite.ts";

/**
 * Runs every pod of the local overlay as a Docker container, makes a call, and ends each pod during a stream. Does not
 * test scheduling, network rules and autoscaling. Run by hand, with the images of `docs/operations/kubernetes.md`.
 */
const run = `modelgate-pods-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), "modelgate-pods-"));
chmodSync(folder, 0o755);
const objects = renderFolder(join(import.meta.dirname, "overlays/local"));
const password = randomBytes(16).toString("hex");
const secrets: Readonly<Record<string, string>> = {
  MODELGATE_SECRET: randomBytes(32).toString("hex"),
  REDIS_PASSWORD: password,
  NATS_PASSWORD: password,
  POSTGRES_PASSWORD: password,
  REDIS_URL: `redis://:${password}@redis:6379`,
  CONTENT_REDIS_URL: `redis://:${password}@redis-content:6379`,
  NATS_URL: `nats://modelgate:${password}@nats:4222`,
  BOOKS_URL: `postgres://modelgate:${password}@postgres:5432/modelgate`,
};

interface Pod {
  readonly name: string;
  readonly containerName: string;
  readonly spec: Fields;
  readonly container: Fields;
}

function docker(...args: readonly string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function podsOf(kind: string): readonly Pod[] {
  return objects
    .filter((object) => object["kind"] === kind)
    .map((object) => {
      const spec = at(object, "spec", "template", "spec");
      const [container] = itemsAt(spec, "containers");
      if (!isFields(spec) || container === undefined) throw new TypeError(`${nameOf(object)} has no container`);
      return { name: nameOf(object), containerName: `${run}-${nameOf(object)}`, spec, container };
    });
}

/** Starts the container of a pod as the kubelet would. */
function start({ name, containerName, spec, container }: Pod): void {
  const security = at(spec, "securityContext");
  const user = `${textOf(at(security, "runAsUser"))}:${textOf(at(security, "runAsGroup"))}`;
  const bytes = textOf(at(container, "resources", "limits", "memory"))
    .toLowerCase()
    .replace("i", "");
  const textsOf = (member: string): readonly string[] => {
    const list = container[member];
    const filled = (word: string): string =>
      word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => values.get(name) ?? "");
    return Array.isArray(list) ? list.map(textOf).map(filled) : [];
  };
  const values = variablesOf(container);
  const [entry, ...rest] = textsOf("command");
  const options = [
    ["--name", containerName, "--network", run, "--network-alias", name, "--user", user],
    ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ["--memory", bytes, "--memory-swap", bytes],
    Array.from(values, ([name, value]) => ["--env", `${name}=${value}`]).flat(),
    itemsAt(container, "volumeMounts").flatMap((mount) => volumeOf(spec, mount)),
    entry === undefined ? [] : ["--entrypoint", entry],
  ];
  docker("run", "--detach", ...options.flat(), localImage(textOf(container["image"])), ...rest, ...textsOf("args"));
}

/** Returns the name of an image in this engine. A local image has a tag and no digest. */
function localImage(image: string): string {
  const [tag = image] = image.split("@");
  const { stdout } = spawnSync("docker", ["image", "inspect", "--format", "{{len .RepoDigests}}", tag]);
  return stdout.toString().trim() === "0" ? tag : image;
}

function variablesOf(container: Fields): ReadonlyMap<string, string> {
  return new Map(
    itemsAt(container, "env").map((variable) => {
      const key = textOf(at(variable, "valueFrom", "secretKeyRef", "key"));
      return [textOf(variable["name"]), key === "" ? textOf(variable["value"]) : (secrets[key] ?? "")];
    }),
  );
}

/**
 * Returns the arguments for a volume: the ConfigMap's files, temporary space, or a folder that the pod's group may
 * write to.
 */
function volumeOf(spec: Fields, mount: Fields): readonly string[] {
  const [name, path] = [textOf(mount["name"]), textOf(mount["mountPath"])];
  const volume = itemsAt(spec, "volumes").find((one) => one["name"] === name);
  const size = textOf(at(volume, "emptyDir", "sizeLimit"));
  if (size !== "") return ["--tmpfs", `${path}:size=${size.replace("Mi", "m")}`];
  const volumeFolder = mkdtempSync(join(folder, `${name}-`));
  const map = objects.find(
    (object) => object["kind"] === "ConfigMap" && nameOf(object) === at(volume, "configMap", "name"),
  );
  const files = map?.["data"];
  for (const [file, text] of Object.entries(isFields(files) ? files : {}))
    writeFileSync(join(volumeFolder, file), textOf(text));
  chmodSync(volumeFolder, map === undefined ? 0o777 : 0o755);
  return ["--volume", `${volumeFolder}:${path}${map === undefined ? "" : ":ro"}`];
}

function addressOf({ containerName }: Pod): string {
  return docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", containerName);
}

async function isProbeSuccessful(pod: Pod, probe: Fields): Promise<boolean> {
  const command = at(probe, "exec", "command");
  if (Array.isArray(command))
    return spawnSync("docker", ["exec", pod.containerName, ...command.map(textOf)]).status === 0;
  const port = itemsAt(pod.container, "ports").find((one) => one["name"] === at(probe, "httpGet", "port"));
  const url = `http://${addressOf(pod)}:${textOf(port?.["containerPort"])}${textOf(at(probe, "httpGet", "path"))}`;
  const signal = AbortSignal.timeout(1_000 * Number(probe["timeoutSeconds"] ?? 1));
  return fetch(url, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Waits about a minute for all probes of a pod. */
async function untilReady(pod: Pod): Promise<void> {
  const probes = ["startupProbe", "livenessProbe", "readinessProbe"].flatMap((kind) => {
    const probe = pod.container[kind];
    return isFields(probe) ? [probe] : [];
  });
  for (let tries = 60; ; tries--) {
    const results = await Promise.all(probes.map((probe) => isProbeSuccessful(pod, probe)));
    if (results.every(Boolean)) return;
    if (tries === 0 || docker("inspect", "--format", "{{.State.Running}}", pod.containerName) !== "true")
      throw new Error(`${pod.name} is not ready:\n${spawnSync("docker", ["logs", pod.containerName]).output.join("")}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

const runFile = promisify(execFile);

/** Ends a pod as the kubelet does: preStop, SIGTERM, and SIGKILL after the grace period. */
async function end({ name, containerName, spec, container }: Pod): Promise<void> {
  const startedAt = performance.now();
  const preStop = at(container, "lifecycle", "preStop", "exec", "command");
  if (Array.isArray(preStop)) await runFile("docker", ["exec", containerName, ...preStop.map(textOf)]);
  const grace = Number(spec["terminationGracePeriodSeconds"] ?? 30);
  await runFile("docker", ["stop", "--time", String(grace), containerName]);
  const status = docker("inspect", "--format", "{{.State.ExitCode}}", containerName);
  console.log(
    `${name}: ended with ${status} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} of ${grace} s`,
  );
  if (status !== "0") process.exitCode = 1;
}

async function call(edge: string, body: object): Promise<string> {
  const answer = await fetch(`http://${edge}:8080/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-demo-0123456789abcdef", "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", ...body }),
  });
  return answer.text();
}

/** Command of docs/operations/production.md in control's pod. */
const gatectl = "programs/gatectl.js account show demo --json";
const chatRequest = (content: string) => ({ messages: [{ role: "user", content }] });
const pods = [...podsOf("StatefulSet"), ...podsOf("Deployment")];
try {
  docker("network", "create", run);
  for (const pod of pods) start(pod);
  await Promise.all(pods.map(untilReady));
  console.log(`${pods.length} pods are ready`);
  const edge = pods.find(({ name }) => name === "edge");
  if (edge === undefined) throw new Error("no edge");
  const answer = await call(addressOf(edge), chatRequest("Hello"));
  if (!answer.includes("You said: Hello")) throw new Error(answer);
  const bill = docker("exec", `${run}-control`, "node", ...gatectl.split(" "));
  console.log(`answered; gatectl in control's pod says: ${bill.replace(/\n[^]*/, "").slice(0, 160)}`);
  const stream = call(addressOf(edge), {
    stream: true,
    ...chatRequest('{{simulate: {"chunks": 40, "chunkDelayMs": 400}}}'),
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await Promise.all(
    podsOf("Deployment")
      .filter(({ name }) => name !== "simulator")
      .map(end),
  );
  if (!(await stream).includes("[DONE]")) throw new Error(`the open stream was incomplete: ${await stream}`);
  console.log("the stream that was open when its pods were stopped was completed");
} finally {
  for (const { containerName } of pods) spawnSync("docker", ["rm", "--force", "--volumes", containerName]);
  spawnSync("docker", ["network", "rm", run]);
  rmSync(folder, { recursive: true, force: true });
}
