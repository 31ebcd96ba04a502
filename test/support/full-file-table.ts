import { openSync } from 'node:fs'
import { Egress } from '../../src/sending/egress.ts'
import { createHostResolver } from '../../src/sending/host-resolver.ts'
import { HttpSender } from '../../src/sending/http-sender.ts'
import { parseNetworks } from '../../src/domain/net/addresses.ts'

/*
 * A program that fills its own file table, makes one attempt for each given URL, and prints each outcome as JSON. Start
 * it with a low limit of open files.
 */
const resolver = createHostResolver()
const allowedNetworks = parseNetworks('127.0.0.0/8,::1')
const parts = { allowedNetworks, resolver, egress: new Egress() }
const sender = new HttpSender({ timeoutMs: 5_000, connectTimeoutMs: 2_000, maximumIdle: 1, ...parts })

function fill(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // The file table is full now.
  }
}

async function attempt(url: string): Promise<unknown> {
  try {
    const target = { companyId: 'com_1', webhookId: 'whk_1', url, withinMs: 5_000 }
    return (await sender.send(target, () => undefined)) ?? 'connected'
  } catch (error) {
    return { thrown: (error as { reason?: string }).reason ?? String(error) }
  }
}

// Make the streams and loops that need files at their first use before the table is full.
await attempt('https://127.0.0.1:1/')
process.stdout.write('\n')
fill()
const outcomes = await Promise.all(process.argv.slice(2).map(attempt))
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
process.exit(0)
