import { alertTargetPurpose, type AlertTargetKind, type AlertTargetSecret } from "@modelgate/contracts";
import type { EncryptedTarget } from "@modelgate/books";
import { makeCipher, type Secrets } from "@modelgate/platform";
import { simulatorAt, startServiceAlone, type ReceivedRequest } from "@modelgate/testkit";
import { startMailServer, type MailServer } from "./mail-server.ts";

/** Receivers of alerts, which check the format of what they receive. */
export interface Receivers extends AsyncDisposable {
  readonly mail: MailServer;
  secretOf(kind: AlertTargetKind): AlertTargetSecret;
  requests(kind: AlertTargetKind): Promise<readonly ReceivedRequest[]>;
  /** Returns the texts that a receiver got. */
  received(kind: AlertTargetKind): Promise<readonly string[]>;
  forget(): Promise<void>;
  /** Sets whether a receiver answers as if overloaded. */
  fail(kind: AlertTargetKind, isFailing: boolean): Promise<void>;
}

/** Paths of the simulator's receivers, with their secrets. */
const places: Readonly<Record<Exclude<AlertTargetKind, "email">, readonly [path: string, secret?: string]>> = {
  webhook: ["/webhook/hooks/signed-ops", "signed-ops-secret"],
  slack: ["/slack/services/T0/B0/T0PSECRET"],
  teams: ["/teams/workflows/T0PSECRET/triggers/manual/paths/invoke"],
  feishu: ["/feishu/open-apis/bot/v2/hook/signed-ops", "signed-ops-secret"],
  pagerduty: ["/pagerduty/v2/enqueue", "R0UT1NGKEY".padEnd(32, "0")],
};

export async function startReceivers(): Promise<Receivers> {
  await using starting = new AsyncDisposableStack();
  const { url: address } = starting.use(await startServiceAlone("simulator", {}));
  const mail = starting.use(await startMailServer());
  const simulator = simulatorAt(address);
  const started = starting.move();
  const requests: Receivers["requests"] = (kind) => simulator.requests(kind);
  return {
    mail,
    secretOf(kind) {
      if (kind === "email") return { url: mail.url, from: "gate@example.com", to: "ops@example.com" };
      const [path, secret] = places[kind];
      return { url: `${address}/at/${kind}${path}`, ...(secret === undefined ? {} : { secret }) };
    },
    requests,
    async received(kind) {
      return kind === "email" ? mail.mails.map(({ text }) => text) : (await requests(kind)).map(({ body }) => body);
    },
    async forget() {
      mail.mails.length = 0;
      await Promise.all(Object.keys(places).map((kind) => simulator.forget(kind)));
    },
    async fail(kind, isFailing) {
      if (kind === "email") mail.refuse(isFailing);
      else await simulator.script(kind, isFailing ? [{ status: 503, errorMessage: "overloaded", repeat: true }] : []);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Returns a target with its secret part encrypted. */
export function targetOf(
  secrets: Secrets,
  kind: AlertTargetKind,
  secret: AlertTargetSecret,
  { account = "", id = "trg_1" } = {},
): EncryptedTarget {
  const createdAt = "2026-11-26T10:30:00.000Z";
  return {
    target: { id, account, kind, name: "ops", address: "127.0.0.1", createdAt },
    sealed: makeCipher(secrets, alertTargetPurpose).encrypt(JSON.stringify(secret), id),
  };
}
