// Runs in the browser: GraphiQL over the chosen organization, or over the one in ?org=. In the edge
// program, which has no organizations, it is over all tables. The browser sends the credentials
// that it was asked for when the page was opened.
(async () => {
  const place = document.getElementById('graphiql');
  const choice = document.getElementById('organization');
  const isEdge = document.documentElement.dataset.program === 'edge';
  // A page may be opened by an address with credentials in it, but fetch refuses such an address.
  const address = (path) => new URL(path, location.origin + location.pathname).href;
  const show = (path, tables, example) => {
    const fetcher = GraphiQL.createFetcher({
      url: address(path),
      // A request with a session's cookie needs this header; the cookie alone is refused.
      headers: { 'X-Millrace-Console': '1' },
    });
    const defaultQuery = `# ${tables} are fields: ${example}\n`;
    const page = React.createElement(GraphiQL, { fetcher, defaultQuery });
    ReactDOM.createRoot(place).render(page);
  };
  document.getElementById('choice').hidden = isEdge;
  if (isEdge) {
    show('api/graphql', 'Tables', '{ cities(limit: 10) { name } }');
    return;
  }
  const answer = await fetch(address('api/organizations'));
  const { data = [], message } = await answer.json();
  if (!answer.ok) {
    place.textContent = message;
    return;
  }
  const names = data.map(({ identifier }) => identifier);
  const wanted = new URLSearchParams(location.search).get('org');
  if (wanted !== null && !names.includes(wanted)) names.push(wanted);
  choice.append(...names.map((name) => new Option(name, name, false, name === wanted)));
  choice.addEventListener('change', () => {
    location.search = new URLSearchParams({ org: choice.value });
  });
  show(
    `api/${encodeURIComponent(choice.value)}/graphql`,
    'Streams',
    '{ logs(limit: 10) { _timestamp } }',
  );
})();
