import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { ask, isExecutable, onPath } from "./run.mjs";
import { say } from "./say.mjs";

/** Where PostgreSQL's server is named; `none` for tests without one. */
const variable = "MODELGATE_POSTGRES";
/** Debian keeps the server off PATH. */
const folders = ["18", "17", "16", "15"].map((version) => `/usr/lib/postgresql/${version}/bin`);

/**
 * The PostgreSQL of the tests of the books, in this order: the server that is named, one on PATH or where Debian puts it,
 * a container's where Docker answers, Debian's own unpacked in `.tools`. Where there is none the tests fail and name this
 * variable: the gateway itself needs no PostgreSQL.
 */
export async function findPostgres() {
  if (process.env[variable]) return {};
  const there = onPath("postgres") ?? folders.map((folder) => join(folder, "postgres")).find(isExecutable);
  if (there !== undefined) return { [variable]: there };
  if ((await ask("docker", ["info", "--format", "{{.ServerVersion}}"])) !== undefined) return {};
  const program = join(programsOf("postgres"), "postgres");
  if (!isExecutable(program) && onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined)
    await unpack("postgres");
  if (isExecutable(program)) return { [variable]: program };
  say(`no PostgreSQL for the tests of the books: install it, start Docker, or name the server by ${variable}`);
  return {};
}
