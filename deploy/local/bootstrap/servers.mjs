import { existsSync } from "node:fs";
import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { ask, isExecutable, onPath, run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Required servers, the variables with their addresses, and the variables of their programs. */
const needed = [
  { name: "redis-server", url: "REDIS_URL", variable: "MODELGATE_REDIS_SERVER", image: "redis:7-alpine" },
  { name: "nats-server", url: "NATS_URL", variable: "MODELGATE_NATS_SERVER", image: "nats:2-alpine" },
];

/**
 * Finds Redis and NATS: running servers, programs on PATH, Debian's packages in `.tools`, or Docker. Otherwise fails
 * and names what to install.
 */
export async function findServers() {
  const found = {};
  for (const { name, url, variable, image } of needed) {
    if (process.env[url]) continue;
    const program =
      (process.env[variable] || undefined) ??
      onPath(name) ??
      (await unpacked(name)) ??
      ((await ask("docker", ["info", "--format", "{{.ServerVersion}}"])) ? `docker:${image}` : undefined);
    if (program === undefined) {
      throw new Error(
        `${name} is missing: install it (${installHint(name)}), start Docker, or set ${url} to the address of a running one.`,
      );
    }
    if (program.startsWith("docker:")) await pull(program.slice("docker:".length));
    found[variable] = program;
  }
  return found;
}

/** Pulls an image in advance, because the start of a server has a limit of seconds. */
async function pull(image) {
  if ((await ask("docker", ["image", "inspect", "--format", "{{.Id}}", image])) !== undefined) return;
  printProgress(`pulling the image ${image} (once)`);
  await run("docker", ["pull", "--quiet", image], `The image ${image} could not be pulled:`);
}

async function unpacked(name) {
  const program = join(programsOf("servers"), name);
  if (isExecutable(program)) return program;
  if (!existsSync("/etc/debian_version") || onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined)
    return undefined;
  await unpack("servers");
  return isExecutable(program) ? program : undefined;
}

function installHint(name) {
  return process.platform === "darwin"
    ? `brew install ${name.replace("redis-server", "redis")}`
    : `your package manager has ${name}`;
}
