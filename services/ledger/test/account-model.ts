/* oxlint-disable vitest/no-standalone-expect -- the steps run and are checked inside a test */
import { expect } from "vitest";
import {
  createAccount,
  credit,
  extendHold,
  findAccount,
  hold,
  outboxLength,
  publishEntries,
  releaseHold,
  renewHold,
  settle,
  shardOf,
  verifyAccount,
  type OutboxEntry,
} from "@modelgate/accounts";
import { readReceipts, readTotals, verifyTotals, wasReplaced, type Books } from "@modelgate/books";
import { Failure, type UsageDraft } from "@modelgate/contracts";
import { Counter, type Logger, type Redis } from "@modelgate/platform";
import { testUsageDraft } from "@modelgate/testkit";
import { startRecording } from "../src/record-events.ts";
import { checkShard } from "../src/shard-rounds.ts";
import { seededRandom, type RandomSource } from "./seeded-random.ts";
import { LossyBus } from "./lossy-bus.ts";

const leaseMs = 1_000;
const counter = (): Counter => new Counter({ name: "none", help: "none", registers: [] });

interface Call {
  readonly id: string;
  reserved: bigint;
  floor: bigint;
  lease: number;
  open: boolean;
}

/** Service that loses its calls when it is killed. */
interface ServiceModel {
  readonly redis: Redis;
  calls: Call[];
  entries: OutboxEntry[];
}

/** Model of one account, compared with the real stores after random steps. */
export class AccountModel {
  readonly #id: string;
  readonly #random: RandomSource;
  readonly #bus: LossyBus;
  readonly #edges: readonly ServiceModel[];
  readonly #redis: Redis;
  readonly #books: Books;
  readonly #log: Logger;
  #calls: Call[] = [];
  readonly #budget: bigint;
  #now = 1_000_000;
  #credited = 0n;
  #spent = 0n;
  #settled = 0;
  #operations = 0;

  constructor(seed: number, shard: string, redis: readonly Redis[], books: Books, log: Logger) {
    this.#random = seededRandom(seed);
    let name = 0;
    while (shardOf(`u${seed}-${name}`) !== shard) name++;
    this.#id = `u${seed}-${name}`;
    this.#bus = new LossyBus(this.#random);
    this.#edges = redis.map((connection) => ({ redis: connection, calls: [], entries: [] }));
    const [first] = redis;
    if (first === undefined) throw new Error("a model needs a connection");
    this.#redis = first;
    this.#books = books;
    this.#log = log;
    this.#budget = this.#random.withProbability(50) ? BigInt(this.#random.below(5_000)) : 10n ** 18n;
  }

  get #available(): bigint {
    return this.#credited - this.#spent - this.#reserved;
  }

  get #reserved(): bigint {
    return this.#calls.reduce((sum, { open, reserved: held }) => (open ? sum + held : sum), 0n);
  }

  /** Runs random steps, then compares the stores with the model. */
  async runSteps(steps: number): Promise<void> {
    const balance = BigInt(this.#random.below(10_000));
    await createAccount(this.#redis, { id: this.#id, balance });
    this.#credited = balance;
    for (let ledger = 0; ledger < 2; ledger++)
      startRecording({
        redis: this.#redis,
        bus: this.#bus,
        connection: { useDuringMove: (step) => step(this.#books) },
        maxPerTransaction: 2,
        gatherMs: 0,
        log: this.#log,
      });
    for (let at = 0; at < steps; at++) {
      await this.#step();
      const account = await findAccount(this.#redis, this.#id);
      expect(account).toMatchObject({ availableNanos: this.#available, heldNanos: this.#reserved });
      expect(this.#available >= 0n).toBe(true);
    }
    await this.#checkAtRest();
  }

  async #step(): Promise<void> {
    const edge = this.#random.pick(this.#edges);
    if (edge === undefined) return;
    const action = this.#random.below(100);
    if (action < 24) return this.#hold(edge);
    if (action < 33) return this.#extend(edge);
    if (action < 35) return this.#release(edge);
    if (action < 55) return this.#settle(edge);
    if (action < 62) return this.#renew(edge);
    if (action < 72) return this.#publish(edge);
    if (action < 80) return this.#inspectShard();
    if (action < 87) return this.#bus.deliver();
    if (action < 92) return this.#credit();
    if (action < 97) this.#now += this.#random.below(900);
    else Object.assign(edge, { calls: [], entries: [] }); // the service is killed and loses its state
  }

  async #hold(edge: ServiceModel): Promise<void> {
    const nanos = BigInt(this.#random.below(2_000));
    const call: Call = {
      id: `${this.#id}-${this.#operations++}`,
      reserved: nanos,
      floor: (nanos * BigInt(this.#random.below(101))) / 100n,
      lease: this.#now + leaseMs,
      open: true,
    };
    const passed = await hold(edge.redis, {
      accountId: this.#id,
      callId: call.id,
      nanos,
      floorNanos: call.floor,
      draft: this.#draft(call),
      tokenId: "tok_1",
      tokens: 0,
      budgets: { tokenPerDay: this.#budget.toString(), groupPerMonth: this.#budget.toString() },
      leaseMs,
      outboxBound: 1_000,
      nowMs: this.#now,
    }).then(
      () => true,
      (error: unknown) => !(error instanceof Failure && error.code === "insufficient_quota"),
    );
    expect(passed).toBe(this.#covers(nanos));
    if (!passed) return;
    this.#calls.push(call);
    // The reply may be lost. Then the call is only in the reservation.
    if (!this.#random.withProbability(8)) edge.calls.push(call);
  }

  #covers(nanos: bigint): boolean {
    return nanos === 0n || (nanos <= this.#available && this.#spent + this.#reserved + nanos <= this.#budget);
  }

  /** Extends a reservation. After a lost reply, both extensions are reserved. */
  async #extend(edge: ServiceModel): Promise<void> {
    const call = this.#random.pick(edge.calls);
    if (call === undefined) return;
    const nanos = BigInt(this.#random.below(1_000) + 1);
    for (let tries = this.#random.withProbability(20) ? 2 : 1; tries > 0; tries--)
      await this.#extendBy(edge, call, nanos);
  }

  async #extendBy(edge: ServiceModel, call: Call, nanos: bigint): Promise<void> {
    const extended = await extendHold(edge.redis, { accountId: this.#id, callId: call.id, nanos }).catch(
      (error: unknown) => (error instanceof Failure && error.code === "insufficient_quota" ? "refused" : error),
    );
    expect(extended).toBe(call.open ? this.#covers(nanos) || "refused" : false);
    if (extended === true) call.reserved += nanos;
  }

  async #release(edge: ServiceModel): Promise<void> {
    const call = this.#random.pick(edge.calls);
    if (call === undefined) return;
    const release = { accountId: this.#id, callId: call.id };
    expect(await releaseHold(edge.redis, release)).toBe(call.open);
    if (call.open) this.#calls = this.#calls.filter((other) => other !== call);
    call.open = false;
  }

  async #settle(edge: ServiceModel): Promise<void> {
    const call = this.#random.pick(edge.calls);
    if (call === undefined) return;
    const cost = (call.reserved * BigInt(this.#random.below(140))) / 100n;
    const open = call.open;
    const entry = await settle(edge.redis, {
      accountId: this.#id,
      callId: call.id,
      costNanos: cost,
      tokens: 0,
      draft: this.#draft(call),
      nowMs: this.#now,
    });
    expect(entry !== undefined).toBe(open);
    if (entry === undefined) return;
    expect(BigInt(entry.event.costNanos)).toBe(this.#end(call, cost));
    // Sometimes the service is killed before it has published, or settles again because it got no reply.
    if (!this.#random.withProbability(20)) edge.entries.push(entry);
    if (!this.#random.withProbability(30)) edge.calls = edge.calls.filter((other) => other !== call);
  }

  async #renew(edge: ServiceModel): Promise<void> {
    const call = this.#random.pick(edge.calls);
    if (call === undefined) return;
    const floorNanos = BigInt(this.#random.below(2_500));
    const renewal = { accountId: this.#id, callId: call.id, leaseMs, floorNanos, nowMs: this.#now };
    expect(await renewHold(edge.redis, renewal)).toBe(call.open);
    if (!call.open) return;
    call.lease = Math.max(call.lease, this.#now + leaseMs);
    if (floorNanos > call.floor) call.floor = floorNanos > call.reserved ? call.reserved : floorNanos;
  }

  async #publish(edge: ServiceModel): Promise<void> {
    const batch = edge.entries.splice(0, this.#random.below(4));
    await publishEntries(edge.redis, this.#bus, batch);
  }

  /** Runs a ledger's check of the shard. */
  async #inspectShard(): Promise<void> {
    const dead = this.#calls.filter(({ open, lease }) => open && lease <= this.#now);
    const redis = this.#random.pick(this.#edges)?.redis ?? this.#redis;
    const [published, swept] = [counter(), counter()];
    const options = { redis, bus: this.#bus, log: this.#log, leftBehindMs: -60_000, batch: 500, published, swept };
    await checkShard(shardOf(this.#id), options, this.#now);
    for (const call of dead) this.#end(call, call.floor);
  }

  async #credit(): Promise<void> {
    const nanos = BigInt(this.#random.below(3_000) - 1_000) || 1n;
    const request = { accountId: this.#id, nanos, reason: "test", operationId: `operation-${this.#operations++}` };
    const covered = this.#available + nanos >= 0n;
    expect(await credit(this.#redis, request)).toBe(covered ? "credited" : "too-low");
    if (!covered) return;
    this.#credited += nanos;
    if (this.#random.withProbability(50)) expect(await credit(this.#redis, request)).toBe("credited-before");
  }

  /** Settles a call in the model. Returns the amount that is charged. */
  #end(call: Call, cost: bigint): bigint {
    call.open = false;
    const taken = cost > this.#available ? this.#available : cost;
    this.#spent += taken;
    this.#settled++;
    return taken;
  }

  /** Lets all leases expire and all messages arrive, then compares the stores with the model. */
  async #checkAtRest(): Promise<void> {
    this.#now += 10 * leaseMs;
    this.#bus.lossy = false;
    await this.#inspectShard();
    await this.#bus.deliver();
    expect(await outboxLength(this.#redis, shardOf(this.#id))).toBe(0);
    const ids = new Set(this.#calls.map(({ id }) => id));
    expect(this.#settled).toBe(this.#calls.length);
    expect(new Set([...this.#bus.ids].filter((id) => ids.has(id)))).toEqual(ids);
    const query = { from: 0, to: Date.now() + 3_600_000, account: this.#id, groupBy: ["account" as const] };
    const [total] = await readTotals(this.#books, query);
    expect(total?.sums["calls"] ?? "0").toBe(String(this.#settled));
    expect(total?.sums["costNanos"] ?? "0").toBe(this.#spent.toString());
    expect(await findAccount(this.#redis, this.#id)).toMatchObject({
      balanceNanos: this.#credited - this.#spent,
      heldNanos: 0n,
      creditedNanos: this.#credited,
      spentNanos: this.#spent,
    });
    expect(
      await verifyAccount(this.#redis, this.#id, {
        createdAt: "",
        anchors: [],
        wasReplaced: (hash) => wasReplaced(this.#books, this.#id, hash),
        storedFrom: 0,
        waitMs: 0,
        readEntries: (from) => readReceipts(this.#books, this.#id, from),
      }),
    ).toMatchObject({ ok: true });
    expect(await verifyTotals(this.#books, this.#id)).toBeUndefined();
  }

  #draft({ id }: Call): UsageDraft {
    return { ...testUsageDraft(this.#id, id), time: new Date().toISOString(), requestId: `request-of-${id}` };
  }
}
