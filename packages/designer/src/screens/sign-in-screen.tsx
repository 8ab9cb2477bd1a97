import { useState } from "react";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { Field } from "../controls/field.tsx";
import { strings } from "../strings.ts";
import { useTitle } from "./shell-context.tsx";

export function SignInScreen({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  useTitle(strings.pageTitle(strings.signIn.title));
  return (
    <main className="empty">
      <img src="/icon.svg" width="48" height="48" alt={strings.product} />
      <h1>{strings.signIn.title}</h1>
      <p className="muted">{strings.signIn.text}</p>
      <form
        className="field"
        onSubmit={(event) => {
          event.preventDefault();
          workspaceClient.signIn(password).then(onSignedIn, (reason: Error) => setError(reason.message));
        }}
      >
        <Field label={strings.signIn.password} error={error}>
          {(control) => (
            <input
              {...control}
              className="input"
              type="password"
              autoComplete="current-password"
              autoFocus
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary">
          {strings.signIn.submit}
        </Button>
      </form>
    </main>
  );
}
