// A container's health check: node scripts/healthcheck.mjs [api|worker]. Exits 0 when the process in this container says
// that it is ready. Without an argument the container's first process tells which of the two it is.
import { readFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

const { TLS_CERT_FILE } = process.env
const isWorker = process.argv[2] ? process.argv[2] === 'worker' : commandOfContainer().includes('worker.js')

/** A setting: the variable of this name, or the content of the file that the variable with `_FILE` at its end names. */
function setting(/** @type {string} */ name) {
  const { [name]: value, [`${name}_FILE`]: file } = process.env
  return value || (file && readFileSync(file, 'utf8').trim())
}

function commandOfContainer() {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8')
  } catch {
    return ''
  }
}

// The certificate is for the public name. This asks our own process on loopback, so there is nobody to authenticate.
const options = { host: '127.0.0.1', path: '/readyz', timeout: 3000, rejectUnauthorized: false }
const port = isWorker ? setting('WORKER_PORT') || '3001' : setting('PORT') || '3000'
const request = isWorker || !TLS_CERT_FILE ? requestHttp : requestHttps
const sent = request({ ...options, port })
sent.once('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
for (const fault of ['timeout', 'error']) sent.once(fault, () => process.exit(1))
sent.end()
