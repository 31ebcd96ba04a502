// Runs the demo receiver: RECEIVER_PORT=… node scripts/receiver/main.mjs <certificate directory>. With the settings of
// the service it verifies the signatures of all webhooks whose URLs lead here.
import { keepCertificate } from './certificate.mjs'
import { fixedBehaviour } from './fixed-paths.mjs'
import { createReceiver } from './receiver.mjs'

const VERDICTS = new Map([
  [true, 'signature verified'],
  [false, 'SIGNATURE WRONG'],
  [undefined, 'signature not checked: no secret is known for this path'],
])

const port = Number(process.env.RECEIVER_PORT)
const { key, cert } = await keepCertificate(process.argv[2] ?? '.')
const secretsOf = await lookup()
const receiver = await createReceiver({
  port,
  key,
  cert,
  onRequest: report,
  behaviourOf: fixedBehaviour,
  ...(secretsOf && { secretsOf }),
})
console.log(`listening on ${receiver.url('')}`)
process.on('SIGTERM', () => void receiver.close().then(() => process.exit(0)))

/** Returns a function that finds secrets; undefined without a database. */
async function lookup() {
  if (!process.env.DATABASE_URL) return undefined
  const { createSecretLookup } = await import('./demo-secrets.mjs')
  const find = createSecretLookup(process.env, [`https://127.0.0.1:${port}`, `https://localhost:${port}`])
  return (/** @type {string} */ path) =>
    find(path).catch((error) => {
      // Does not print the message, because it may quote SQL.
      console.log(`no secrets could be looked up (${error.code ?? error.name})`)
      return []
    })
}

/** @param {import('./receiver.d.mts').ReceivedRequest} request */
function report({ path, headers, body, verified, status }) {
  const answer = status === undefined ? 'not answered' : `answered ${status}`
  console.log(
    [path, eventType(body), headers['webhook-id'] ?? 'no webhook-id', VERDICTS.get(verified), answer].join(
      ' · ',
    ),
  )
}

/** @param {Buffer} body @returns {string} */
function eventType(body) {
  try {
    return String(JSON.parse(body.toString('utf8')).event)
  } catch {
    return 'no event'
  }
}
