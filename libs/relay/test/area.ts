import type { IncomingMessage } from "node:http";
import { Redis } from "ioredis";
import { connect } from "nats";
import { register, Registry } from "prom-client";
import {
  callerLimits,
  createAccount,
  credit,
  findAccount,
  writeTokenToRedis,
  makeToken,
  writeEpoch,
  type Account,
} from "@modelgate/accounts";
import { publishConfiguration } from "@modelgate/catalog";
import { switchChannel } from "@modelgate/channels";
import {
  checkConfiguration,
  firstHeader,
  headers,
  dollarsToNanos,
  parseUsd,
  type Caller,
  type Configuration,
  type UsageEvent,
} from "@modelgate/contracts";
import {
  createLogger,
  drainServices,
  listen,
  readVariables,
  SharedParts,
  signCaller,
  type Service,
} from "@modelgate/platform";
import {
  adjustEnv,
  simulatorAt,
  startBackends,
  startServiceAlone,
  until,
  type Backends,
  type Limits,
  type SimulatorClient,
} from "@modelgate/testkit";

export interface AreaOptions {
  readonly config: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
  /** Service whose stores and vendors the new service shares, as a replica does. */
  readonly sameBackendsAs?: Area;
}

/**
 * One area's service in the process of its test, with Redis, NATS and simulated vendors. Instead of an edge, the test's
 * server adds the signed caller of the request's API key.
 */
export interface Area extends AsyncDisposable {
  readonly url: string;
  readonly backends: Backends;
  readonly redis: Redis;
  readonly metrics: Registry;
  readonly simulator: SimulatorClient;
  post(path: string, body: unknown, key: string, more?: Readonly<Record<string, string>>): Promise<Response>;
  account(id: string): Promise<Account>;
  enable(channel: string): Promise<void>;
  topUp(account: string, dollars: string): Promise<void>;
  events(): Promise<readonly UsageEvent[]>;
  eventOf(requestId: string | null): Promise<UsageEvent>;
  /**
   * Waits until an account has no held money and all its settlements are published. Throws if its amounts do not add
   * up.
   */
  settled(account: string): Promise<Account>;
  drain(): Promise<void>;
}

const secret = "the secret of an area's test";
type KnownCaller = Omit<Caller, "expiresAt" | "requestId">;
const signedSeconds = 3_600;

/** Starts an area's service with its configuration and accounts. */
export async function startArea(
  service: Service,
  { config, env = {}, limits = {}, sameBackendsAs }: AreaOptions,
): Promise<Area> {
  await using opening = new AsyncDisposableStack();
  const backends = sameBackendsAs?.backends ?? opening.use(await startBackends());
  const simulator = sameBackendsAs?.simulator ?? simulatorAt(opening.use(await startServiceAlone("simulator", {})).url);
  const redis = opening.adopt(new Redis(backends.redisUrl), (open) => open.disconnect());
  const configuration = checked(JSON.parse(JSON.stringify(config).replaceAll("${SIMULATOR_URL}", simulator.url)));
  await publish(redis, configuration);
  const callers = await declareAccounts(redis, configuration);
  // Marks the data in Redis as complete.
  await writeEpoch(redis, "the test's books");

  const { log } = createLogger(service.name, "silent");
  const shared = opening.use(new SharedParts(log));
  const ending = new AbortController();
  const metrics = new Registry();
  const declared = readVariables((read) => service.declare(read, (name, values) => adjustEnv(name, values, limits)), {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: secret,
    HOST: "127.0.0.1",
    ...env,
  });
  const open = await declared.open({ log, metrics, shared, areas: new Map(), ending: ending.signal });
  opening.defer(async () => open.close?.());
  const { drainMs, drainErrorMs } = declared.common;
  const { handler, upgrade } = open.serves;
  const letIn = gate(callers);
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    drainMs,
    drainErrorMs,
    ending: ending.signal,
    handler: (request, response) => handler(letIn(request), response),
    upgrade: upgrade && ((request, socket, head) => upgrade(letIn(request), socket, head)),
  });
  const url = `http://127.0.0.1:${server.port}`;
  let isDrained = false;
  async function drain(): Promise<void> {
    isDrained = true;
    await drainServices([{ service: declared, open, ending }], [server]);
  }
  opening.defer(() => (isDrained ? undefined : drain()));
  // Events of earlier calls would stay in the outbox, because this test has no ledger.
  await until("NATS to be connected", async () =>
    /store="nats".*\} 1$/m.test(await register.getSingleMetricAsString("modelgate_store_up")),
  );
  const usage = opening.use(await readUsage(backends.natsUrl));
  await until("the configuration to be taken up", async () => {
    await open.ready?.();
    return true;
  });

  const account = async (id: string): Promise<Account> => {
    const stored = await findAccount(redis, id);
    if (stored === undefined) throw new Error(`there is no account ${id}`);
    return stored;
  };
  let topUps = 0;
  const closing = opening.move();
  return {
    url,
    backends,
    redis,
    metrics,
    simulator,
    post: (path, body, key, more = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
          ...more,
        },
        body: body instanceof FormData || typeof body === "string" ? body : JSON.stringify(body),
      }),
    account,
    enable: (channel) => switchChannel(redis, channel, true, "by a test"),
    async topUp(accountId, dollars) {
      const operationId = `top-up-${++topUps}`;
      await credit(redis, { accountId, nanos: parseUsd(dollars), reason: "test", operationId });
    },
    events: () => usage.read(),
    eventOf: (requestId) =>
      until(`the event of ${requestId ?? "?"}`, async () =>
        (await usage.read()).find((event) => event.requestId === requestId),
      ),
    settled: (id) =>
      until(`nothing of ${id} to be held and every settlement to be published`, async () => {
        const now = await account(id);
        if (now.heldNanos !== 0n) return false;
        if (now.balanceNanos !== now.creditedNanos - now.spentNanos) throw new Error(`${id} does not add up`);
        const events = (await usage.read()).filter(({ accountId }) => accountId === id);
        return events.reduce((sum, { costNanos }) => sum + BigInt(costNanos), 0n) === now.spentNanos && now;
      }),
    drain,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Adds the signed caller of its API key to a request, as an edge does. */
function gate(callers: ReadonlyMap<string, KnownCaller>): (request: IncomingMessage) => IncomingMessage {
  let requests = 0;
  return (request) => {
    const query = new URLSearchParams((request.url ?? "").split("?")[1]);
    const key = firstHeader(request.headers, ["authorization", "x-api-key", "x-goog-api-key"]) ?? query.get("key");
    const caller = callers.get(key?.replace("Bearer ", "") ?? "");
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? `req_${++requests}`;
    request.headers[headers.requestId] = requestId;
    const expiresAt = Math.floor(Date.now() / 1_000) + signedSeconds;
    if (caller !== undefined) request.headers[headers.caller] = signCaller(secret, { ...caller, requestId, expiresAt });
    return request;
  };
}

function checked(config: unknown): Configuration {
  const { configuration, problems } = checkConfiguration(config);
  if (configuration === undefined) throw new Error(`the configuration is wrong: ${JSON.stringify(problems)}`);
  return configuration;
}

function publish(redis: Redis, { groups, models, channels }: Configuration): Promise<string> {
  const resolved = channels.map((configuration) => {
    const { baseUrl = "", proxy, headers } = configuration;
    const keys = (configuration.keys ?? []).filter((key) => !key.startsWith("env:"));
    return { configuration, baseUrl, keys, proxy, headers, ...(keys.length === 0 ? { off: "no key is set" } : {}) };
  });
  const modelEntries = Object.entries(models).map(([name, { price, ...model }]) => {
    if (price === "auto") throw new Error(`${name} needs a price: known prices are control's to find`);
    return [name, { ...model, ...(price === undefined ? {} : { price }) }] as const;
  });
  return publishConfiguration(redis, { groups, models: Object.fromEntries(modelEntries) }, resolved, [secret]);
}

async function declareAccounts(redis: Redis, { accounts = {}, groups }: Configuration) {
  const callers = new Map<string, KnownCaller>();
  for (const [accountId, { balance, tokens = [] }] of Object.entries(accounts)) {
    await createAccount(redis, { id: accountId, balance: parseUsd(balance) });
    for (const { key, budget, ...options } of tokens) {
      const nanosText = (dollars: number | undefined) =>
        dollars === undefined ? undefined : dollarsToNanos(dollars).toString();
      const { digest, token } = makeToken(key, {
        accountId,
        ...options,
        budget: budget && { perDay: nanosText(budget.dollarsPerDay), perMonth: nanosText(budget.dollarsPerMonth) },
      });
      await writeTokenToRedis(redis, digest, token);
      const limits = callerLimits(token, groups[token.group]?.limits ?? {});
      callers.set(key, { accountId, tokenId: token.id, ...limits });
    }
  }
  return callers;
}

/** Opens a reader of the stream of usage events, which returns all events so far. */
async function readUsage(natsUrl: string) {
  const connection = await connect({ servers: natsUrl.split(",") });
  const management = await connection.jetstreamManager();
  const events: UsageEvent[] = [];
  let reading = Promise.resolve();
  let next = 1;
  const readOn = async (): Promise<void> => {
    const { state } = await management.streams.info("USAGE");
    for (; next <= state.last_seq; next++) {
      const message = await management.streams.getMessage("USAGE", { seq: next });
      events.push(message.json<UsageEvent>());
    }
  };
  return {
    async read(): Promise<readonly UsageEvent[]> {
      reading = reading.then(readOn);
      await reading;
      return [...events];
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
