import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { spawnGuarded, type Child, type ChildOptions } from "./child.ts";

/** Server in a container, for machines without the server's program. */
export interface ContainerOptions extends Pick<ChildOptions, "logFile"> {
  /** Name of the server, for messages. */
  readonly name: string;
  readonly image: string;
  /** Program in the image. Its files must be in `/data`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Port on this machine's loopback address. */
  readonly port: number;
  readonly inside: number;
  /** Folder on this machine for the server's files, which outlive the container. */
  readonly folder: string;
}

/** Maximum time, in ms, to remove a container. */
const removalMs = 20_000;

/**
 * Shell script that runs a container under a name, and first removes one that an interrupted run has left. Files must
 * belong to the user of this process, not to root; in a rootless engine, root is that user.
 */
const runScript = `name=$1; shift
docker rm --force "$name" >/dev/null 2>&1
case $(docker info --format '{{.SecurityOptions}}') in *rootless*) user=0:0;; *) user=$(id -u):$(id -g);; esac
exec docker run --rm --name "$name" --user "$user" "$@"`;

/**
 * Starts a server in a container that is removed when it ends. The container's name is made from the folder, which no
 * two servers share.
 */
export function spawnContainer(options: ContainerOptions): Child {
  const { name, image, command, args, port, inside, folder, logFile } = options;
  const container = `modelgate-${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
  const publish = ["--publish", `127.0.0.1:${port}:${inside}`];
  // `z` lets containers use the folder on machines with SELinux.
  const files = ["--volume", `${folder}:/data:z`, "--workdir", "/data"];
  const program = ["--entrypoint", command, image, ...args];
  return spawnGuarded({
    name,
    command: "/bin/sh",
    args: ["-c", runScript, "container", container, ...publish, ...files, ...program],
    logFile,
    // A killed docker client leaves its container running.
    afterwards: () => remove(container),
  });
}

/** Removes a container, running or not. A container that does not exist is ignored. */
function remove(container: string): Promise<void> {
  return new Promise((resolve) => {
    execFile("docker", ["rm", "--force", container], { timeout: removalMs }, () => resolve());
  });
}
