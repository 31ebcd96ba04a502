// Runs the demo receiver: RECEIVER_PORT=… node scripts/receiver/main.ts <certificate directory>. With the settings of
// the service it verifies the signatures of all webhooks whose URLs lead here.
import { readConfig } from '../../src/config/index.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { openSecret } from '../../src/domain/webhook/webhook.ts'
import { keepCertificate } from './certificate.ts'
import { fixedBehaviour } from './paths.ts'
import { createReceiver, type ReceivedRequest } from './receiver.ts'

const VERDICTS = new Map([
  [true, 'signature verified'],
  [false, 'SIGNATURE WRONG'],
  [undefined, 'signature not checked: no secret is known for this path'],
])

const port = Number(process.env['RECEIVER_PORT'])
const ORIGINS = [`https://127.0.0.1:${port}`, `https://localhost:${port}`]
const config = readConfig(process.env)
const db = connect(config.databaseUrl, { tls: config.databaseTls })
const { key, cert } = await keepCertificate(process.argv[2] ?? '.')
const rules = { behaviourOf: fixedBehaviour, secretsOf, onRequest: report }
const receiver = await createReceiver({ port, key, cert, ...rules })
console.log(`listening on ${receiver.url('')}`)
process.on('SIGTERM', () => void receiver.close().then(() => process.exit(0)))

type Row = { id: string; company_id: string; url: string; secret_sealed: string }

/**
 * The signing secrets of all webhooks whose URL leads to the path, of whichever company, out of the database of `npm start`.
 * For development only: a real endpoint is given its secret once, when the webhook is created. Never print them.
 */
async function secretsOf(path: string): Promise<string[]> {
  try {
    const rows = await db('webhooks')
      .whereNull('deleted_at')
      .where((either) => ORIGINS.forEach((origin) => void either.orWhere('url', 'like', `${origin}%`)))
      .select<Row[]>('id', 'company_id', 'url', 'secret_sealed')
    const leadsHere = ({ url }: Row) => {
      const { origin, pathname } = new URL(url)
      return ORIGINS.includes(origin) && pathname === path
    }
    return rows
      .filter(leadsHere)
      .map((row) => openSecret(config.secretsKeys, row.company_id, row.id, row.secret_sealed))
  } catch (error) {
    // Does not print the message, because it may quote SQL.
    const { code, name } = error as NodeJS.ErrnoException
    console.log(`no secrets could be looked up (${code ?? name})`)
    return []
  }
}

function report({ path, headers, body, verified, status }: ReceivedRequest): void {
  const id = String(headers['webhook-id'] ?? 'no webhook-id')
  const answer = status === undefined ? 'not answered' : `answered ${status}`
  console.log([path, eventType(body), id, VERDICTS.get(verified), answer].join(' · '))
}

function eventType(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { event?: string }).event)
  } catch {
    return 'no event'
  }
}
