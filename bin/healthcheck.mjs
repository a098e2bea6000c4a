// The health check of a container. It ends with 0 when the process in it is alive, as the listener
// for health and metrics (MILLRACE_STATUS_ADDR) says.
const address = process.env.MILLRACE_STATUS_ADDR ?? '127.0.0.1:9464';
const port = address.slice(address.lastIndexOf(':') + 1);
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`);
  process.exit(ok ? 0 : 1);
} catch {
  process.exit(1);
}
