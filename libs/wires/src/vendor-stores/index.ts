export { maxVendorIds, vendorIdsIn } from "./find.ts";
export {
  createdIn,
  mayNameCreated,
  plainDialect,
  storeMembers,
  type CreatedId,
  type CreatedReader,
  type StoreDialect,
  type VendorId,
  type VendorStore,
} from "./members.ts";
