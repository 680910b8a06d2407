import { sharedPart, sharedRedis, type StoreEnv } from "@modelgate/platform";
import { openCatalog, type CatalogHandle } from "./open-catalog.ts";

/** The catalog of a process: what all of its services know of models, channels and groups. */
export const sharedCatalog = sharedPart<StoreEnv, CatalogHandle>(async (shared, store) => {
  const redis = await sharedRedis(shared, store);
  return shared.use(await openCatalog({ redis, secrets: store.secrets, log: shared.log }));
});
