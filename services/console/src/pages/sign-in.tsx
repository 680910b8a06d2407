import { Alert, Button, Card, Center, Code, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { post } from "../api/client.ts";
import type { Session } from "../api/types.ts";

/** Signs in with the link in the address, whose secret stands behind the # so that no server's log has it. */
export function SignInPage() {
  const link = globalThis.location.hash.slice(1);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signIn = useMutation({
    mutationFn: () => post<Session>("/session", { link }),
    async onSuccess(session) {
      queries.setQueryData(["session"], session);
      await navigate({ to: "/overview", search: { span: "7d" }, replace: true });
    },
  });
  return (
    <Center h="100vh" component="main">
      <Card withBorder w={420} maw="95vw" p="xl">
        <Stack>
          <Title order={1} size="h3">
            modelgate console
          </Title>
          {link === "" ? <HowToGetLink /> : <Text size="sm">This link signs you in once, on this browser.</Text>}
          {signIn.error !== null && (
            <Alert color="red" role="alert" title="Not signed in">
              {signIn.error.message}
            </Alert>
          )}
          {link !== "" && (
            <Button onClick={() => signIn.mutate()} loading={signIn.isPending} data-autofocus>
              Sign in
            </Button>
          )}
        </Stack>
      </Card>
    </Center>
  );
}

function HowToGetLink() {
  return (
    <Text size="sm" component="div">
      Open the sign-in link that <Code>npm start</Code> has printed, or make a new one:{" "}
      <Code block>npm run gatectl -- operator link</Code>
    </Text>
  );
}
