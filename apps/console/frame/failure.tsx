/** Says what went wrong, at once also to people who hear the page. */
export function Failure({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p role="alert" class="failure">
      {words}
    </p>
  );
}
