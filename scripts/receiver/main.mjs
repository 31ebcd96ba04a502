// The demo's receiver as a process of its own: node scripts/receiver/main.mjs <certificate directory>, RECEIVER_PORT.
import { keepCertificate } from './certificate.mjs'
import { createReceiver } from './receiver.mjs'

const VERDICTS = new Map([
  [true, 'signature verified'],
  [false, 'SIGNATURE WRONG'],
  [undefined, 'signature not checked'],
])

const { key, cert } = await keepCertificate(process.argv[2] ?? '.')
const receiver = await createReceiver({
  port: Number(process.env.RECEIVER_PORT),
  key,
  cert,
  onRequest: report,
})
console.log(`listening on ${receiver.url('')}`)
process.on('SIGTERM', () => void receiver.close().then(() => process.exit(0)))

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
