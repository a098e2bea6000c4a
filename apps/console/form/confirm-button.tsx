import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  /** A button says with it what it does. */
  readonly name: string;
  /** It names what the button acts on, for people who hear the button without its place. */
  readonly about: string;
  /** It says what is lost. */
  readonly question: string;
  readonly isBusy: boolean;
  readonly onConfirmed: () => void;
}

/** The button does what cannot be undone, so it asks first. */
export function ConfirmButton({ name, about, question, isBusy, onConfirmed }: Props) {
  const [isAsking, setAsking] = useState(false);
  const refuse = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const hasAsked = useRef(false);
  useEffect(() => {
    // The button that had the focus is gone, either way.
    if (isAsking) refuse.current?.focus();
    else if (hasAsked.current) first.current?.focus();
    hasAsked.current = isAsking;
  }, [isAsking]);
  if (!isAsking)
    return (
      <button
        ref={first}
        type="button"
        aria-label={`${name} ${about}`}
        disabled={isBusy}
        onClick={() => setAsking(true)}
      >
        {name}
      </button>
    );
  return (
    <span
      class="bar"
      role="group"
      aria-label={question}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAsking(false);
      }}
    >
      <span>{question}</span>
      <button
        type="button"
        class="danger"
        onClick={() => {
          setAsking(false);
          onConfirmed();
        }}
      >
        {name}
      </button>
      <button ref={refuse} type="button" onClick={() => setAsking(false)}>
        Keep
      </button>
    </span>
  );
}
