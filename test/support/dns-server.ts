import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** IPv4 and IPv6 addresses, a failure, or silence. */
export type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'silent'

export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>

const TYPES: Record<number, 4 | 6> = { 1: 4, 28: 6 }
const RESPONSE_CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/** A real name server on loopback UDP that answers A and AAAA queries with a time to live of an hour (RFC 1035). */
export async function startDnsServer(answerTo: (name: string, ipVersion: 4 | 6) => DnsAnswer) {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, peer) => {
    const { name, type, questionEnd } = readQuestion(query)
    const ipVersion = TYPES[type]
    queries.push(name)
    const answer = name === '' ? server.rootAnswer : ipVersion ? answerTo(name, ipVersion) : []
    if (answer === 'silent') return
    const records =
      typeof answer === 'string' ? [] : answer.filter((a) => a.includes(':') === (ipVersion === 6))
    const code = typeof answer === 'string' ? RESPONSE_CODES[answer] : 0
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    const question = query.subarray(12, questionEnd)
    const parts = [header, question, ...records.map((a) => toRecord(a, type))]
    socket.send(Buffer.concat(parts), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server = {
    /** The address in the form that Resolver.setServers takes. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The answer to every question about the root zone, named ''. By default the zone has no such record. */
    rootAnswer: [] as DnsAnswer,
    /** The names in the queries, in order. A and AAAA are separate queries. */
    queries,
    async close(): Promise<void> {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
  return server
}

function readQuestion(query: Buffer): { name: string; type: number; questionEnd: number } {
  const labels: string[] = []
  let offset = 12
  while (query.readUInt8(offset) > 0) {
    const length = query.readUInt8(offset)
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(offset + 1),
    questionEnd: offset + 5,
  }
}

/** A resource record that points back to the question's name. */
function toRecord(address: string, type: number): Buffer {
  const data = address.includes(':') ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number))
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 14, 16, 0, data.length])
  return Buffer.concat([record, data])
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const groups = (text: string | undefined) =>
    text ? text.split(':').map((group) => parseInt(group, 16)) : []
  const middle = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<number>(middle).fill(0), ...groups(tail)]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]))
}
