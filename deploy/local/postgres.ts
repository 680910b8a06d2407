import { execFile } from "node:child_process";
import { accessSync, chownSync, constants, existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startServer, type LocalServer, type ServerKind, type ServerOptions, type ServerUser } from "./servers.ts";

/** Superuser, password and database of the server, which listens on loopback only. */
const [owner, password, database] = ["modelgate", "modelgate", "modelgate"];
const nobody: ServerUser = { uid: 65_534, gid: 65_534 };
/** First message of a client. A starting server answers it with an error. */
const startup = "\0\0\0\u0018\0\u0003\0\0user\0modelgate\0\0";

/**
 * Starts PostgreSQL on loopback and waits until it is ready. PostgreSQL refuses to run as root, so root starts it as
 * `nobody`, who must have access to the folder.
 */
export async function startPostgres(options: ServerOptions): Promise<LocalServer> {
  const user = process.getuid?.() === 0 ? nobody : undefined;
  const kind: ServerKind = {
    name: "postgres",
    program: "postgres",
    variable: "MODELGATE_POSTGRES",
    containerPort: 5432,
    args: (place) => [
      "-D",
      dataIn(place.folder),
      "-p",
      String(place.port),
      "-h",
      place.host,
      ...settings(options.keep),
    ],
    argsInContainer: [],
    hello: startup,
    welcome: "R",
    prepare: (program, folder) => makeCluster(program, folder, user),
    ...(user === undefined ? {} : { user }),
  };
  const child = await startServer(kind, options);
  return { url: `postgres://${owner}:${password}@127.0.0.1:${options.port}/${database}`, child };
}

function settings(keep: boolean): readonly string[] {
  // Commits survive a crash of the server, but not of the machine.
  const durability = keep ? [] : ["fsync=off", "full_page_writes=off"];
  return [
    "unix_socket_directories=",
    "timezone=UTC",
    "log_timezone=UTC",
    "jit=off",
    "shared_buffers=256MB",
    "max_wal_size=4GB",
    ...durability,
  ].flatMap((setting) => ["-c", setting]);
}

function dataIn(folder: string): string {
  return join(folder, "data");
}

async function makeCluster(program: string, folder: string, user: ServerUser | undefined): Promise<void> {
  const data = dataIn(folder);
  if (existsSync(join(data, "PG_VERSION"))) return;
  const secret = join(folder, "password");
  writeFileSync(secret, password);
  if (user !== undefined) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  const initdbArguments = [
    "-D",
    data,
    "-U",
    owner,
    "--pwfile",
    secret,
    "--auth",
    "scram-sha-256",
    "-E",
    "UTF8",
    "--locale",
    "C",
  ];
  const run = promisify(execFile);
  await run(findInitdb(program), [...initdbArguments, "--no-sync"], { cwd: folder, ...user });
  // In single-user mode, the program runs a statement without serving.
  const single = run(program, ["--single", "-D", data, "postgres"], { cwd: folder, ...user });
  single.child.stdin?.end(`create database ${database}\n`);
  await single;
}

/** Returns the path of initdb, near the server's program or its link's target. */
function findInitdb(program: string): string {
  const found = [program, realpathSync(program)]
    .map((path) => join(dirname(path), "initdb"))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error(`There is no initdb next to ${program}.`);
  return found;
}
