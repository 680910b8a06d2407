import { publishedPrice, readPublishedConfiguration, type PublishedConfiguration } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import { modelView } from "./model-view.ts";

/** Routes of the published models. */
export function modelRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /models/{name}": async ({ params }) => {
      const published = await readPublishedConfiguration(redis);
      const name = params["name"] ?? "";
      const shown = published === undefined ? undefined : await modelView(redis, published, name);
      if (shown === undefined)
        throw new Failure("unknown_url", `There is no model ${JSON.stringify(name.slice(0, 200))}.`);
      return shown;
    },
    "GET /models": async () => {
      const published = await readPublishedConfiguration(redis);
      if (published === undefined) return [];
      return Object.entries(published.models).map(([name, model]) => ({
        name,
        kind: model.kind,
        ownedBy: model.ownedBy,
        price: model.price,
        contextTokens: model.contextTokens,
        channels: published.channels.filter(({ models }) => namesModel(models, name)).map(({ id }) => id),
      }));
    },
    "GET /groups": async () => {
      const published = await readPublishedConfiguration(redis);
      if (published === undefined) return [];
      return Object.entries(published.groups).map(([name, group]) => ({ name, ...group }));
    },
  };
}

/** Returns whether a channel's models contain a name. */
function namesModel(models: PublishedConfiguration["channels"][number]["models"], name: string): boolean {
  return Array.isArray(models) ? models.includes(name) : Object.hasOwn(models, name);
}

/** Routes of published prices by version. */
export function priceRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /prices/{version}": async ({ params: { version = "" } }) => {
      const found = await publishedPrice(redis, version);
      if (found === undefined) throw new Failure("unknown_url", "There is no price with this version.");
      return { version, ...found };
    },
  };
}
