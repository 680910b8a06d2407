import {
  Alert,
  Button,
  Card,
  Center,
  Code,
  Divider,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { get, post } from "../api/client.ts";
import type { Operations } from "../api/types.ts";
import { beginSession } from "../parts/begin-session.ts";
import { Form } from "../parts/form.tsx";
import { useChange } from "../parts/use-change.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { translate } from "../texts/translate.ts";

/** Page to sign in: by a link with a secret in its fragment, by a password, or at an OpenID provider. */
export function SignInPage() {
  // Also changes if a link is opened while this page is shown, because the browser does not load the page again.
  const link = useLocation({ select: ({ hash }) => hash });
  const problem = new URLSearchParams(globalThis.location.search).get("problem");
  return (
    <Center mih="100vh" component="main">
      <Card withBorder w={420} maw="95vw" p="xl">
        <Stack>
          <Title order={1} size="h3">
            modelgate console
          </Title>
          {problem !== null && <NotSignedIn why={providerProblem(problem)} />}
          {link === "" ? <ByPassword /> : <ByLink link={link} />}
        </Stack>
      </Card>
    </Center>
  );
}

/** Returns the text of a refused sign-in at the provider. Anybody can write a link, so its text is not shown. */
function providerProblem(problem: string): string {
  if (problem === "provider_unavailable") return translate("The provider does not answer.");
  if (problem === "no_role") return translate("None of your groups has a role here.");
  if (problem === "not_permitted") return translate("You may not sign in here.");
  return translate("The provider did not sign you in.");
}

function useSignIn(credentials: () => Operations["POST /session"]["body"]) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useChange({
    change: () => post("/session", { body: credentials() }),
    changes: [],
    onDone(session) {
      beginSession(queries, session);
      void navigate({ to: "/overview", search: { span: "7d" }, replace: true });
    },
  });
}

function ByLink({ link }: { readonly link: string }) {
  const signIn = useSignIn(() => ({ link }));
  return (
    <>
      <Text size="sm">{translate("This link works once, in this browser.")}</Text>
      {signIn.error !== null && <NotSignedIn why={signIn.error.message} />}
      <Button onClick={signIn.start} loading={signIn.isPending} data-autofocus>
        {translate("Sign in")}
      </Button>
    </>
  );
}

function ByPassword() {
  const { draft, field } = useDraft({ name: "", password: "" });
  const signIn = useSignIn(() => draft);
  const signInWays = useQuery({ queryKey: ["ways"], queryFn: () => get("/sign-in-ways") });
  return (
    <>
      <Form change={signIn}>
        <Stack>
          <TextInput label={translate("Name")} required autoComplete="username" {...field("name", signIn)} />
          <PasswordInput
            label={translate("Password")}
            required
            autoComplete="current-password"
            {...field("password", signIn)}
          />
          {signIn.error !== null && <NotSignedIn why={signIn.error.message} />}
          <Button type="submit" loading={signIn.isPending}>
            {translate("Sign in")}
          </Button>
        </Stack>
      </Form>
      {signInWays.data?.provider === true && (
        <Button component="a" href="/session/provider" variant="default">
          {translate("Sign in with your organisation")}
        </Button>
      )}
      <Divider />
      <Text size="sm" component="div">
        {translate("No password? Open the sign-in link that npm start printed, or create a new one:")}{" "}
        <Code block>npm run gatectl -- operator link</Code>
      </Text>
    </>
  );
}

function NotSignedIn({ why }: { readonly why: string }) {
  return (
    <Alert color="red" role="alert" title={translate("Not signed in")}>
      {why}
    </Alert>
  );
}
