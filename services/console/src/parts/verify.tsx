import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Verification } from "../api/types.ts";
import { translate } from "../texts/translate.ts";

/** Button that verifies an account's receipts and balance. */
export function Verify({ accountId }: { readonly accountId: string }) {
  const verification = useQuery({
    queryKey: ["verification", accountId],
    queryFn: () => get("/ledger/verification", { query: { account: accountId } }),
    enabled: false,
  });
  const result = verification.data?.accounts[0];
  return (
    <Group gap="sm">
      <Button size="xs" variant="default" loading={verification.isFetching} onClick={() => void verification.refetch()}>
        {translate("Verify receipts")}
      </Button>
      <Text size="sm" role="status">
        {verification.error !== null && verification.error.message}
        {result !== undefined && resultText(result)}
      </Text>
    </Group>
  );
}

function resultText({ ok, from, to, divergence }: Verification): string {
  if (ok) return translate("The books are consistent: receipts {from} to {to} add up to the balance.", { from, to });
  const where =
    divergence?.receipt === undefined ? "" : translate(" at receipt {number}", { number: divergence.receipt });
  return translate("The books are inconsistent{where}: {why}.", {
    where,
    why: divergence?.message ?? translate("no reason was given"),
  });
}
