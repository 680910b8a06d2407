import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { ask, isExecutable, onPath } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Variable that names PostgreSQL's server; `none` for tests without one. */
const variable = "MODELGATE_POSTGRES";
/** Folders in which Debian installs the server. */
const folders = ["18", "17", "16", "15"].map((version) => `/usr/lib/postgresql/${version}/bin`);

/**
 * Finds PostgreSQL for tests: in the variable, on PATH or in Debian's folder, in a container, or from Debian's package
 * in `.tools`. Without it, the tests fail and name the variable.
 */
export async function findPostgres() {
  if (process.env[variable]) return {};
  const installed = onPath("postgres") ?? folders.map((folder) => join(folder, "postgres")).find(isExecutable);
  if (installed !== undefined) return { [variable]: installed };
  if ((await ask("docker", ["info", "--format", "{{.ServerVersion}}"])) !== undefined) return {};
  const program = join(programsOf("postgres"), "postgres");
  if (!isExecutable(program) && onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined)
    await unpack("postgres");
  if (isExecutable(program)) return { [variable]: program };
  printProgress(
    `no PostgreSQL: tests of the books on PostgreSQL will fail (install it, start Docker, or set ${variable} to the server)`,
  );
  return {};
}
