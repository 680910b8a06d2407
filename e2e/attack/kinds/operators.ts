import { signIn, signInByLink, type BrowserClient } from "../../../services/control/test/console/people.ts";
import { formatDollars, openaiModel, attackResult, type Attack, type AttackContext } from "../attack.ts";
import { honestText } from "./wires.ts";

const password = "correct horse battery staple";
const concurrentSignIns = 6;

const disabledOperator: Attack = {
  id: "disabled-admin",
  name: "keeps an operator's access by links and sign-ins from before it was disabled",
  area: "text",
  async run({ suite, searchSecrets }) {
    const admin = await signInByLink(suite, "admin");
    await admin.post("/operators", { name: "mallory", role: "admin", password });
    const { answer: _answer, ...mallory } = await signIn(suite, { name: "mallory", password });
    const linkBy = async (maker: BrowserClient, name: string): Promise<string> => {
      const { data } = await maker.post("/sign-in-links", { name, role: "admin" });
      return new URL(data.url, suite.controlUrl).hash.slice(1);
    };
    const links = [await linkBy(admin, "mallory"), await linkBy(mallory, "mallory"), await linkBy(mallory, "friend")];
    const early = await signIn(suite, { link: await linkBy(mallory, "friend") });
    const late = Array.from({ length: concurrentSignIns }, () => signIn(suite, { name: "mallory", password }));
    await admin.post("/operators/mallory", { disabled: true });
    const followed = await Promise.all(links.map((link) => signIn(suite, { link })));
    const all = [mallory, early, ...followed, ...(await Promise.all(late))];
    const answers = await Promise.all(all.map((browser) => browser.get("/operators")));
    const read = answers.filter(({ status }) => status === 200).length;
    for (const { data } of answers) searchSecrets(JSON.stringify(data ?? ""));
    return attackResult(`${all.length} sessions of a disabled operator`, `${read} read the operators`, [
      read > 0 && `${read} sessions outlived their operator`,
    ]);
  },
};

const ownSecrets = ["env:MODELGATE_SECRET", "env:BOOKS_URL", "env:REDIS_URL"] as const;

const secretByKey: Attack = {
  id: "secret-by-key",
  name: "configures the gateway's secret as a vendor's key, with a chosen address",
  area: "text",
  models: [openaiModel("chat", "chat", { input: 1, output: 2 }, honestText)],
  async run(context) {
    const { suite } = context;
    const admin = await signInByLink(suite, "admin");
    const channel = context.model("chat");
    const { data } = await admin.get("/channels");
    const { baseUrl = "" } = data.find(({ id }: { id: string }) => id === channel) ?? {};
    const keys = [...ownSecrets, `file:${context.booksFile.replace(/[^/]*$/, "")}secret`, "file:/proc/self/environ"];
    const taken: string[] = [];
    for (const key of keys) {
      const value = { id: "evil", provider: "openai", baseUrl, keys: [key], models: [channel] };
      const edited = await admin.post("/configuration/edits", {
        edits: [{ section: "channels", name: "evil", value }],
      });
      const problems: readonly { readonly path: string }[] = edited.data?.problems ?? [];
      if (edited.status === 200 && !problems.some(({ path }) => path.endsWith("keys[0]"))) taken.push(key);
      await admin.post("/vendors/models", { provider: "openai", baseUrl, key });
    }
    const shown = context
      .requests("chat")
      .filter(({ headers }) => String(headers.authorization).includes(suite.secret));
    return attackResult(`${keys.length} keys`, `${taken.length} taken, ${shown.length} shown to a vendor`, [
      baseUrl === "" && "the channel's address is not known, so nothing was tried",
      taken.length > 0 && `taken: ${taken.join(", ")}`,
      shown.length > 0 && "a vendor was shown the gateway's secret",
    ]);
  },
};

/** Daily budget of an account, cost of a call in US dollars, and number of keys that a member creates. */
const [allowedDollars, callDollars, membersKeys] = [0.0025, 0.001, 8];

const wideningMember: Attack = {
  id: "member",
  name: "creates many keys within an operator's budget, and one after the operator's key is disabled",
  area: "text",
  models: [openaiModel("chat", "chat", { request: callDollars }, honestText)],
  async run(context: AttackContext) {
    const { suite } = context;
    const account = "attacked-by-member";
    const admin = await signInByLink(suite, "admin");
    await admin.post("/accounts", { id: account, balance: "10" });
    const limits = { group: "default", models: [context.model("chat")], dollarsPerDay: String(allowedDollars) };
    const operatorKey = await admin.post(`/accounts/${account}/tokens`, limits);
    const member = await signInByLink(suite, "operator", account);
    const wider = await member.post(`/accounts/${account}/tokens`, { ...limits, dollarsPerDay: "5" });
    let served = 0;
    for (let at = 0; at < membersKeys; at++) {
      const { data } = await member.post(`/accounts/${account}/tokens`, limits);
      const body = { model: context.model("chat"), messages: [{ role: "user", content: "Hi" }] };
      const { status } = await context.send({ path: "/v1/chat/completions", body, key: data.key });
      if (status === 200) served++;
    }
    await admin.post(`/tokens/${operatorKey.data.id}/disable`);
    const after = await member.post(`/accounts/${account}/tokens`, limits);
    const spent = served * callDollars;
    return attackResult(
      `${membersKeys} keys of a member`,
      `${formatDollars(spent)} spent of ${formatDollars(allowedDollars)}`,
      [
        served === 0 && "no call was served, so nothing was bounded",
        spent > allowedDollars && `${formatDollars(spent)} were spent`,
        wider.status === 200 && "a key was made with a larger budget than its operator's",
        after.status === 200 && "a key was made although the operator's key is disabled",
      ],
    );
  },
};

export const operatorAttacks: readonly Attack[] = [disabledOperator, secretByKey, wideningMember];
