/** Hosts of Google's API: what is there is read with the operator's key, and nothing of it is public. */
const apiHosts = /(?:^|[.-])(?:generativelanguage|aiplatform)\.googleapis\.com$/;
/** Schemes that vendors read as something in a store: Google, Moonshot, DashScope, AWS, BytePlus, Azure. */
const storeSchemes: ReadonlySet<string> = new Set(
  "gs ms oss s3 tos asset fileid file-id azureml wasbs abfss".split(" "),
);
const scheme = /^\s*([a-z][\d+.a-z-]{0,99}):/i;
/** A file's name in a store, without the address of its vendor. */
const bareName = /^\s*\/?(?:v\d\w{0,99}\/)?(?:files|cachedContents|corpora|fileSearchStores)\//i;

/** Characters at an address's beginning that are looked at: what stands there may be megabytes of Base64. */
const headCharacters = 1_000;
/** Longest address of the web; a longer one is not read, and counts as one of a vendor's store. */
const longestAddress = 64 * 1024;

/**
 * Whether an address is of something in a vendor's store: an address of the vendor's own API, or of a scheme that only
 * vendors read. What any client of the web could read is content, and so are data URLs.
 * @param vendorHosts hosts of the channels' own addresses
 */
export function isInStore(text: string, vendorHosts: ReadonlySet<string>): boolean {
  const head = text.slice(0, headCharacters);
  const [, found] = scheme.exec(head) ?? [];
  if (found === undefined) return bareName.test(head) || isBlank(head);
  const name = found.toLowerCase();
  return isWeb(name) ? isOfVendor(text, vendorHosts) : storeSchemes.has(name);
}

/** The same where the vendor expects a file of its store: all that is not an address of the web is one. */
export function isFileInStore(text: string, vendorHosts: ReadonlySet<string>): boolean {
  const head = text.slice(0, headCharacters);
  const name = scheme.exec(head)?.[1]?.toLowerCase();
  if (name === undefined) return isBlank(head) || head.trim() !== "";
  return isWeb(name) ? isOfVendor(text, vendorHosts) : name !== "data";
}

/** Whether an address begins with so much space that its beginning is not seen. */
function isBlank(head: string): boolean {
  return head.length === headCharacters && head.trim() === "";
}

function isWeb(name: string): boolean {
  return name === "http" || name === "https";
}

function isOfVendor(text: string, vendorHosts: ReadonlySet<string>): boolean {
  if (text.length > longestAddress || !URL.canParse(text)) return true;
  const { hostname, pathname } = new URL(text);
  const host = hostname.replace(/\.$/, "");
  if (apiHosts.test(host)) return true;
  return vendorHosts.has(host) && /\/(?:f|%66)(?:i|%69)(?:l|%6c)(?:e|%65)(?:s|%73)(?:\/|%2f)/i.test(pathname);
}
