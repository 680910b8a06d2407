import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { spawnGuarded, type Child, type ChildOptions } from "./child.ts";

/** Server in a container, for machines without the server's program. */
export interface ContainerOptions extends Pick<ChildOptions, "logFile"> {
  readonly name: string;
  readonly image: string;
  /** Program in the image. Its files must be in `/data`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Port on this machine's loopback address. */
  readonly port: number;
  /** Port of the server in the container. */
  readonly containerPort: number;
  /** Folder for the server's files, which outlive the container. */
  readonly folder: string;
}

const removalMs = 20_000;

/**
 * Shell script that removes the container that an interrupted run left, and runs a new one. The container's files must
 * belong to the current user. A rootless engine maps this user to root (0:0) in the container.
 */
const runScript = `name=$1; shift
docker rm --force "$name" >/dev/null 2>&1
case $(docker info --format '{{.SecurityOptions}}') in *rootless*) user=0:0;; *) user=$(id -u):$(id -g);; esac
exec docker run --rm --name "$name" --user "$user" "$@"`;

/** Starts a server in a container that is removed at its end. The container's name is derived from the folder. */
export function spawnContainer(options: ContainerOptions): Child {
  const { name, image, command, args, port, containerPort, folder, logFile } = options;
  const container = `modelgate-${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
  const publish = ["--publish", `127.0.0.1:${port}:${containerPort}`];
  // `z` lets containers use the folder with SELinux.
  const files = ["--volume", `${folder}:/data:z`, "--workdir", "/data"];
  const program = ["--entrypoint", command, image, ...args];
  return spawnGuarded({
    name,
    command: "/bin/sh",
    args: ["-c", runScript, "container", container, ...publish, ...files, ...program],
    logFile,
    // A killed docker client does not end its container.
    afterwards: () => remove(container),
  });
}

function remove(container: string): Promise<void> {
  return new Promise((resolve) => {
    execFile("docker", ["rm", "--force", container], { timeout: removalMs }, () => resolve());
  });
}
