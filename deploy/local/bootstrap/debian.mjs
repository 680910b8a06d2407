import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools } from "./places.mjs";
import { run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Packages that are unpacked together, and the paths of their programs. */
const bundles = {
  servers: {
    folder: "debian",
    what: "redis-server and nats-server from Debian's packages (once)",
    packages: ["redis-server", "redis-tools", "nats-server"],
    programs: { "redis-server": "usr/bin/redis-server", "nats-server": "usr/sbin/nats-server" },
  },
  chromium: {
    folder: "debian-chromium",
    what: "a browser for the tests from Debian's packages (once, 120 MB)",
    // A small Chinese font for pictures of the console.
    packages: ["chromium-headless-shell", "fonts-wqy-microhei"],
    programs: { chromium: "usr/lib/chromium/chromium-headless-shell" },
  },
  postgres: {
    folder: "debian-postgres",
    what: "PostgreSQL for the tests from Debian's packages (once, 20 MB)",
    packages: ["postgresql-15"],
    programs: { postgres: "usr/lib/postgresql/15/bin/postgres", initdb: "usr/lib/postgresql/15/bin/initdb" },
  },
  prometheus: {
    folder: "debian-prometheus",
    what: "Prometheus for the alerts of a chaos run from Debian's packages (once, 20 MB)",
    packages: ["prometheus"],
    programs: { prometheus: "usr/bin/prometheus", promtool: "usr/bin/promtool" },
  },
};

/** Pattern of packages that are not unpacked, because every Debian has them or the programs do not need them here. */
const excludedPackages =
  /^(libc6|libgcc-s1|libstdc\+\+6|gcc-\d+-base|adduser|passwd|lsb-base|sysvinit-utils|init-system-helpers|debconf|cdebconf|debconf-2\.0|dpkg|libcrypt1|libpam.*|libaudit.*|libselinux1|libsemanage.*|x11-utils|x11-common|xdg-utils|perl.*|libperl.*|libjson-perl|libllvm\d+|postgresql-(?:client-)?common|ssl-cert|locales.*|ucf|netbase|libjs-.*|fonts-(?!dejavu-core$).+|ttf-.+)$/;

/** Returns the folder of a bundle's programs, which may not exist yet. */
export function programsOf(bundle) {
  return join(tools, bundles[bundle].folder, "bin");
}

/**
 * Unpacks Debian's packages into `.tools`, without root. If that fails, leaves nothing behind, and another way is
 * tried.
 */
export async function unpack(bundle) {
  const { folder, what, packages, programs } = bundles[bundle];
  const place = join(tools, folder);
  const making = `${place}.${process.pid}`;
  for (const stale of readdirSync(tools).filter((entry) => entry.startsWith(`${folder}.`)))
    rmSync(join(tools, stale), { recursive: true, force: true });
  printProgress(`getting ${what}`);
  try {
    mkdirSync(join(making, "packages"), { recursive: true });
    await download(making, packages);
    for (const file of readdirSync(join(making, "packages")))
      await run("dpkg-deb", ["-x", join(making, "packages", file), join(making, "root")], "");
    writePrograms(making, programs);
    rmSync(join(making, "packages"), { recursive: true });
    rmSync(join(making, "apt"), { recursive: true, force: true });
    renameSync(making, place);
  } catch (error) {
    throwIfInterrupted();
    printProgress(`Debian's packages could not be installed: ${error.message.trim().split("\n").at(-1)}`);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Downloads packages with the system's package lists, or with fresh ones if these are missing or outdated. */
async function download(making, packages) {
  const fetch = async (apt) =>
    run("apt-get", [...apt, "download", ...(await withLibraries(apt, packages))], "", {
      cwd: join(making, "packages"),
    });
  try {
    await run("apt-cache", ["show", ...packages], "");
    await fetch([]);
  } catch {
    throwIfInterrupted();
    await fetch(await freshLists(join(making, "apt")));
  }
}

/** Fetches package lists into a folder, and returns apt's options for them. */
async function freshLists(state) {
  for (const folder of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(state, folder), { recursive: true });
  const options = [`Dir::State::lists=${join(state, "lists")}`, `Dir::Cache=${join(state, "cache")}`];
  const apt = [...options, "APT::Sandbox::User=", "Debug::NoLocking=1"].flatMap((option) => ["-o", option]);
  await run("apt-get", [...apt, "update"], "");
  return apt;
}

/** Returns the packages with all their dependencies, without excluded packages. */
async function withLibraries(apt, packages) {
  const kinds = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map((kind) => `--no-${kind}`);
  const needs = dependenciesOf(await run("apt-cache", [...apt, "depends", "--recurse", ...kinds, ...packages], ""));
  const selected = new Set(packages);
  // Names that are added during the loop are visited too.
  for (const name of selected)
    for (const need of needs.get(name) ?? []) if (!excludedPackages.test(need)) selected.add(need);
  return [...selected].filter((name) => !isVirtual(name));
}

/** Parses apt's list of dependencies: a line with a package's name, then a line for each dependency. */
function dependenciesOf(listed) {
  const needs = new Map();
  let name = "";
  for (const line of listed.split("\n")) {
    const [, need] = /^(?: [ |](?:Pre)?Depends: | {4})(\S+)$/.exec(line) ?? [];
    if (need !== undefined) needs.get(name)?.push(need);
    else if (line !== "") needs.set((name = line.trim()), []);
  }
  return needs;
}

/** Returns true for a name that several packages can provide. */
function isVirtual(name) {
  return name.startsWith("<");
}

/** Writes a script for each program, which runs it with the unpacked libraries and fonts. */
function writePrograms(making, programs) {
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
for folder in "$root"/usr/lib/*-linux-gnu "$root"/lib/*-linux-gnu "$root"/usr/lib/*-linux-gnu/pulseaudio; do
  [ ! -d "$folder" ] || libraries=\${libraries:+$libraries:}$folder
done
[ ! -d "$root/etc/fonts" ] || export FONTCONFIG_PATH="$root/etc/fonts" XDG_DATA_HOME="$root/usr/share"
LD_LIBRARY_PATH="$libraries" exec "$root/${inside}" "$@"
`,
    );
    chmodSync(file, 0o755);
  }
}
