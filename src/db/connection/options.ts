import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import type { Knex } from 'knex'

/** TLS to the database. The server's certificate and its name are always verified. */
export type DatabaseTls = {
  /** A PEM file with the authorities that may have signed the certificate; by default those that Node trusts. */
  readonly caFile?: string | undefined
}

/**
 * The options with which mysql2 connects.
 *
 * @param databaseUrl mysql://user:password@host:port/database, percent-encoded
 * @param tls undefined: no TLS. If defined, a server without TLS is refused before any password is sent
 */
export function connectionOptions(
  databaseUrl: string,
  tls: DatabaseTls | undefined,
): Knex.MySql2ConnectionConfig {
  const url = new URL(databaseUrl)
  // A URL writes an IPv6 address in brackets. A socket takes it without them.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? 3306 : Number(url.port)
  return {
    host,
    port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    connectTimeout: 3_000,
    ...(tls && tlsOptions(host, port, tls)),
  }
}

function tlsOptions(host: string, port: number, { caFile }: DatabaseTls): Knex.MySql2ConnectionConfig {
  const ssl = {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    verifyIdentity: true,
    ...(caFile !== undefined && { ca: readFileSync(caFile, 'utf8') }),
  }
  return { ssl, ...(isIP(host) !== 0 && { stream: () => connectToAddress(host, port) }) }
}

/**
 * Opens a socket that tells TLS which address the certificate must name. If the host is an address, mysql2 gives TLS no
 * name. Node would then expect `localhost` in the certificate, unless the socket has its host in `_host`.
 */
function connectToAddress(host: string, port: number): Socket {
  const socket = connect({ host, port, keepAlive: true, noDelay: true })
  return Object.assign(socket, { _host: host })
}
