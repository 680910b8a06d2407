export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** Returns the part of the code that contains a function; undefined if nothing ran. */
export function partOf({ functionName, url }: Frame): string | undefined {
  if (functionName === "(idle)") return undefined;
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const ours = /\/((?:libs|services)\/[^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url)?.[1];
  if (ours !== undefined) return ours;
  if (url.startsWith("node:"))
    return url
      .replace(/^node:internal\//, "node:")
      .split("/")
      .slice(0, 2)
      .join("/");
  return functionName.startsWith("(") ? functionName : "native, and JavaScript of V8";
}
