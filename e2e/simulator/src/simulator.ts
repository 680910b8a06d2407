import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { UpgradeHandler } from "@modelgate/platform";
import { receivers } from "./alerts/index.ts";
import { checkBehaviour, type Behaviour } from "./behaviour.ts";
import { formIn } from "./core/form.ts";
import { createInstance, plainInstance, type Instance } from "./instances.ts";
import { createUpgrade } from "./sockets/upgrade.ts";
import { forgetReleases, release } from "./stream.ts";
import { vendors } from "./vendors.ts";
import { serviceAccount } from "./vertex/account.ts";

const maxBodyBytes = 128 * 1024 * 1024;
const maxInstances = 1_000;
const simulatedServers = [...vendors, ...receivers];

/** Creates the HTTP listener of all simulated vendors. The README describes its paths, such as `/at/<instance>/…`. */
export function createSimulator(): RequestListener & { readonly upgrade: UpgradeHandler } {
  forgetReleases();
  const instances = new Map<string, Instance>([[plainInstance, createInstance(false)]]);
  const instanceOf = (name: string): Instance => {
    const known = instances.get(name);
    if (known !== undefined) return known;
    if (instances.size >= maxInstances) throw new RangeError("too many instances");
    const instance = createInstance(true);
    instances.set(name, instance);
    return instance;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = "/", search = ""] = (request.url ?? "/").split("?");
    const body = await readAll(request);
    if (path === "/_account/vertex") return reply(response, 200, serviceAccount().file);
    const [, name] = /^\/_release\/([\w.-]+)$/.exec(path) ?? [];
    if (name !== undefined) {
      release(name);
      return reply(response, 200, {});
    }
    const control = /^\/_(script|requests)\/([\w.-]+)$/.exec(path);
    if (control !== null) return administer(control[1] ?? "", instanceOf(control[2] ?? ""), request, body, response);
    const [, instanceName = plainInstance, rest = path] = /^\/at\/([\w.-]+)(\/.*)$/.exec(path) ?? [];
    const vendor = simulatedServers.find(({ prefix }) => rest.startsWith(`${prefix}/`));
    if (vendor === undefined) return reply(response, 404, { error: { message: `No simulated vendor at ${path}.` } });
    const instance = instanceOf(instanceName);
    const form = await formIn(request.headers, body);
    const received = instance.remember(request, path, body, form);
    response.once("close", () => {
      if (received !== undefined) received.aborted = !response.writableFinished;
    });
    await vendor.answer({
      method: request.method ?? "GET",
      path: rest.slice(vendor.prefix.length),
      query: new URLSearchParams(search),
      headers: request.headers,
      body,
      form,
      behaviour: instance.next(),
      response,
    });
  }

  const listener: RequestListener = (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else reply(response, 500, { error: { message: error instanceof Error ? error.message : String(error) } });
    });
  };
  return Object.assign(listener, { upgrade: createUpgrade(instanceOf) });
}

function administer(
  what: string,
  instance: Instance,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  if (what === "requests") {
    if (request.method === "DELETE") instance.forget();
    return reply(response, 200, instance.requests);
  }
  if (request.method === "DELETE") {
    instance.script([]);
    return reply(response, 200, []);
  }
  const steps: unknown = JSON.parse(body.toString());
  const checked = (Array.isArray(steps) ? steps : [steps]).map(checkBehaviour);
  const wrong = checked.find((step) => "wrong" in step);
  if (wrong !== undefined && "wrong" in wrong) return reply(response, 400, { error: { message: wrong.wrong } });
  const script = checked.flatMap((step): readonly Behaviour[] => ("behaviour" in step ? [step.behaviour] : []));
  instance.script(script);
  reply(response, 200, script);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    size += piece.length;
    if (size > maxBodyBytes) throw new RangeError("body too large");
    chunks.push(piece);
  }
  return Buffer.concat(chunks, size);
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
