import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { CannotStart } from "./cannot-start.ts";

/** Maximum wait for a store in ms. A start must report a missing store within 5 s. */
const withinMs = 3_000;

/** Store with its variable, its default port, and a request that makes it answer. */
interface Store {
  readonly variable: string;
  readonly port: number;
  /** Request to send; empty if the server sends first. */
  readonly hello: Buffer;
}

const stores: readonly Store[] = [
  { variable: "REDIS_URL", port: 6_379, hello: Buffer.from("PING\r\n") },
  { variable: "NATS_URL", port: 4_222, hello: Buffer.alloc(0) },
  // PostgreSQL's SSLRequest. The server answers with one letter before authentication.
  { variable: "BOOKS_URL", port: 5_432, hello: Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]) },
];

/** Checks that the stores in an environment answer. Throws CannotStart without credentials in its message. */
export async function checkStores(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await Promise.all(
    stores.map(async (store) => {
      const urls = urlsIn(env[store.variable]);
      if (urls.length === 0) return;
      const servers = urls.map((url) => ({ url, server: `${url.hostname}:${url.port || store.port}` }));
      await Promise.any(servers.map(({ url }) => awaitAnswer(url, store))).catch((error: unknown) => {
        const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
        const problems = servers.map(({ server }, index) => `${server} does not answer (${causeText(causes[index])})`);
        throw new CannotStart(`${store.variable}: ${problems.join(", ")}.`);
      });
    }),
  );
}

/** Returns the server URLs in an address; none if it is invalid, which the services report. */
function urlsIn(text = ""): readonly URL[] {
  const [first = "", ...others] = text.split(",").map((part) => part.trim());
  const scheme = /^[a-z+]+:\/\//.exec(first)?.[0] ?? "";
  const all = [first, ...others].map((part) => (part.includes("://") ? part : scheme + part));
  return all.every((url) => URL.canParse(url) && new URL(url).hostname !== "") ? all.map((url) => new URL(url)) : [];
}

/** Resolves when the server has sent its first byte, or, for an address with TLS, as soon as the connection is open. */
async function awaitAnswer(url: URL, { port, hello }: Store): Promise<void> {
  const socket = connect({ host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port || port) });
  try {
    const signal = AbortSignal.timeout(withinMs);
    await once(socket, "connect", { signal });
    if (/^(?:rediss|tls)/.test(url.protocol)) return;
    socket.write(hello);
    await firstByte(socket, signal);
  } finally {
    socket.on("error", () => undefined).destroy();
  }
}

async function firstByte(socket: Socket, signal: AbortSignal): Promise<void> {
  const ended = once(socket, "end", { signal }).then(() => {
    throw new Error("it closes the connection");
  });
  await Promise.race([once(socket, "data", { signal }), ended]);
}

function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === "AbortError") return `nothing within ${withinMs / 1_000} s`;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error ? first.message : cause.message;
}
