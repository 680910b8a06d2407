import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools } from "./places.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";

/** The programs, where they stand in their packages, and the packages with the libraries that a bare system lacks. */
const programs = { "redis-server": "usr/bin/redis-server", "nats-server": "usr/sbin/nats-server" };
const packages = ["redis-server", "redis-tools", "nats-server"];
const foreign =
  /^(libc6|libgcc-s1|libstdc\+\+6|gcc-\d+-base|adduser|passwd|lsb-base|sysvinit-utils|init-system-helpers|debconf.*|libcrypt1|libpam.*|libaudit.*|libselinux1|libsemanage.*)$/;

/**
 * Unpacks Debian's packages into `.tools/debian`: as any user, nothing is installed and no service starts. Leaves
 * the machine as it was; where the packages cannot be had, nothing is there afterwards and another way is tried.
 */
export async function unpackServers() {
  const place = join(tools, "debian");
  const making = `${place}.${process.pid}`;
  for (const left of readdirSync(tools).filter((entry) => entry.startsWith("debian.")))
    rmSync(join(tools, left), { recursive: true, force: true });
  say("getting redis-server and nats-server from Debian's packages (once)");
  try {
    mkdirSync(join(making, "packages"), { recursive: true });
    await download(making);
    for (const file of readdirSync(join(making, "packages")))
      await run("dpkg-deb", ["-x", join(making, "packages", file), join(making, "root")], "");
    writePrograms(making);
    rmSync(join(making, "packages"), { recursive: true });
    rmSync(join(making, "apt"), { recursive: true, force: true });
    renameSync(making, place);
  } catch (error) {
    throwIfInterrupted();
    say(`Debian's packages could not be had: ${error.message.trim().split("\n").at(-1)}`);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/**
 * By the system's own package lists where they serve: where there are none, or they name versions that the archive
 * has no more, by fresh lists in a folder of ours.
 */
async function download(making) {
  const fetch = async (apt) =>
    run("apt-get", [...apt, "download", ...(await withLibraries(apt))], "", { cwd: join(making, "packages") });
  try {
    await run("apt-cache", ["show", ...packages], "");
    await fetch([]);
  } catch {
    throwIfInterrupted();
    await fetch(await freshLists(join(making, "apt")));
  }
}

/** Options that make apt use lists which are fetched into a folder. */
async function freshLists(state) {
  for (const folder of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(state, folder), { recursive: true });
  const options = [`Dir::State::lists=${join(state, "lists")}`, `Dir::Cache=${join(state, "cache")}`];
  const apt = [...options, "APT::Sandbox::User=", "Debug::NoLocking=1"].flatMap((option) => ["-o", option]);
  await run("apt-get", [...apt, "update"], "");
  return apt;
}

/** The packages with all that they stand on, but for what every Debian has. */
async function withLibraries(apt) {
  const listed = await run(
    "apt-cache",
    [
      ...apt,
      "depends",
      "--recurse",
      "--no-recommends",
      "--no-suggests",
      "--no-conflicts",
      "--no-breaks",
      "--no-replaces",
      "--no-enhances",
      ...packages,
    ],
    "",
  );
  const names = listed.split("\n").filter((line) => /^[a-z0-9]/.test(line));
  return [...new Set(names)].filter((name) => !foreign.test(name));
}

/** A small program beside the unpacked files that runs each server with the libraries that came along. */
function writePrograms(making) {
  mkdirSync(join(making, "bin"));
  for (const [name, inside] of Object.entries(programs)) {
    if (!existsSync(join(making, "root", inside))) throw new Error(`${name} is not in its package`);
    const file = join(making, "bin", name);
    writeFileSync(
      file,
      `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/../root
libraries=
# Joined without an empty part, which would stand for the current folder.
for folder in "$root"/usr/lib/*-linux-gnu "$root"/lib/*-linux-gnu; do
  [ ! -d "$folder" ] || libraries=\${libraries:+$libraries:}$folder
done
LD_LIBRARY_PATH="$libraries" exec "$root/${inside}" "$@"
`,
    );
    chmodSync(file, 0o755);
  }
}
