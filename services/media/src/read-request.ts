import { holdForm, type ServiceCall } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { askOfImageBody, askOfImageForm, reliedOfImages, type Ask, type ImageRequest } from "@modelgate/wires";
import type { Deps } from "./deps.ts";

/** A request that was read; dispose it when its images have been sent. */
export interface ReadRequest extends Disposable {
  readonly ask: Ask<ImageRequest>;
}

/** Reads a request for images: JSON in either dialect, or a form. Throws Failure. */
export async function readImageRequest(deps: Deps, { request }: ServiceCall): Promise<ReadRequest> {
  if (/^multipart\//i.test(request.headers["content-type"] ?? "")) return readForm(deps, request);
  const body = await readJson(request, deps.body, checked(askOfImageBody, reliedOfImages));
  return { ask: body.seen, [Symbol.dispose]: () => body[Symbol.dispose]() };
}

async function readForm(deps: Deps, request: ServiceCall["request"]): Promise<ReadRequest> {
  const form = await holdForm(request, deps.form);
  try {
    return { ask: askOfImageForm(form), [Symbol.dispose]: () => form[Symbol.dispose]() };
  } catch (error) {
    form[Symbol.dispose]();
    throw error;
  }
}
