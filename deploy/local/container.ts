import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { spawnGuarded, type Child, type ChildOptions } from "./child.ts";

/** A server in a container, where this machine has no program for it. */
export interface ContainerOptions extends Pick<ChildOptions, "logFile"> {
  /** What it is, for people. */
  readonly name: string;
  readonly image: string;
  /** The program in the image, and its arguments; its files belong into `/data`. */
  readonly command: string;
  readonly args: readonly string[];
  /** The port on this machine's loopback, and the one in the container. */
  readonly port: number;
  readonly inside: number;
  /** Where it keeps its files: on this machine, so that they outlive the container. */
  readonly folder: string;
}

/** Longest that the removal of a container may take. */
const removalMs = 20_000;

/**
 * Runs a container under a name. One that a killed run has left under it makes room first. The files it writes are to
 * be ours, not root's; in a rootless engine root is ourselves already.
 */
const runNamed = `name=$1; shift
docker rm --force "$name" >/dev/null 2>&1
case $(docker info --format '{{.SecurityOptions}}') in *rootless*) user=0:0;; *) user=$(id -u):$(id -g);; esac
exec docker run --rm --name "$name" --user "$user" "$@"`;

/**
 * Starts a server in a container that ends with it. The container's name comes from the folder, which no two servers
 * share.
 */
export function spawnContainer(options: ContainerOptions): Child {
  const { name, image, command, args, port, inside, folder, logFile } = options;
  const container = `modelgate-${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
  const publish = ["--publish", `127.0.0.1:${port}:${inside}`];
  // `z`: where SELinux guards folders, it lets containers use this one.
  const files = ["--volume", `${folder}:/data:z`, "--workdir", "/data"];
  const program = ["--entrypoint", command, image, ...args];
  return spawnGuarded({
    name,
    command: "/bin/sh",
    args: ["-c", runNamed, "container", container, ...publish, ...files, ...program],
    logFile,
    // A killed client leaves its container running.
    afterwards: () => remove(container),
  });
}

/** Removes a container, running or not; one that is not there is none to remove. */
function remove(container: string): Promise<void> {
  return new Promise((resolve) => {
    execFile("docker", ["rm", "--force", container], { timeout: removalMs }, () => resolve());
  });
}
