import { useEffect, useState } from 'preact/hooks';
import { program, SIGNED_OUT, wordsOf } from '../api/request.js';
import { currentSession, type Session } from '../api/session.js';
import { forgetAsked, keepAskedOf } from '../ask/history.js';
import { Desk } from './desk.js';
import { EdgeSignIn } from '../sign-in/edge-sign-in.js';
import { SignIn } from '../sign-in/sign-in.js';

/** Undefined stands for "not known yet", null for nobody. */
type Known = Session | null | undefined;

const EDGE: Session = {
  email: '',
  first_name: '',
  last_name: '',
  root: false,
  organizations: [{ name: '', role: 'viewer' }],
};

export function App() {
  const [session, setSession] = useState<Known>(program === 'edge' ? EDGE : undefined);
  const [failure, setFailure] = useState<string>();
  const [isOver, setOver] = useState(false);

  const look = async (): Promise<void> => {
    try {
      const found = await currentSession();
      if (found) keepAskedOf(found.email);
      setSession(found ?? null);
      setFailure(undefined);
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  useEffect(() => {
    if (program === 'hosted') void look();
  }, []);
  useEffect(() => {
    const leave = (): void =>
      setSession((before) => {
        if (before) setOver(true);
        return null;
      });
    window.addEventListener(SIGNED_OUT, leave);
    return () => window.removeEventListener(SIGNED_OUT, leave);
  }, []);

  if (failure !== undefined)
    return (
      <main class="narrow">
        <h1>Millrace</h1>
        <p role="alert" class="failure">
          {failure}
        </p>
        <button type="button" onClick={() => void look()}>
          Try again
        </button>
      </main>
    );
  if (session === undefined) return <main class="narrow" aria-busy="true" />;
  if (session === null && program === 'edge')
    return <EdgeSignIn onSignedIn={() => setSession(EDGE)} />;
  if (session === null)
    return (
      <SignIn
        notice={isOver ? 'Your session is over. Sign in again.' : undefined}
        onSignedIn={() => {
          setOver(false);
          void look();
        }}
      />
    );
  const leave = (): void => {
    forgetAsked();
    setSession(null);
  };
  return <Desk session={session} onChanged={() => void look()} onSignedOut={leave} />;
}
