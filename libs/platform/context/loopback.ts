/** Tells whether a host's name or address (IPv6 without brackets) is this machine's alone. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(host);
}

/** Tells whether a request's `Host` header, with or without a port, names only this machine. */
export function namesLoopback(header = ''): boolean {
  return isLoopback(header.replace(/:\d+$/, '').replace(/^\[(.+)\]$/, '$1'));
}
