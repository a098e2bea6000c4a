/** What went wrong, said at once also to who hears the page. */
export function Failure({ words }: { readonly words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p role="alert" class="failure">
      {words}
    </p>
  );
}
