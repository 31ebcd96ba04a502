import type { DnsServer } from './dns-server.ts'

/**
 * What a process is started with so that it asks this name server and no other. The system has one list of name servers for
 * all processes, so the process puts ours into every resolver that it makes.
 */
export function askingAt({ address }: DnsServer): Record<string, string> {
  const program = `
    import dns from 'node:dns'
    const { Resolver } = dns.promises
    dns.promises.Resolver = class extends Resolver {
      constructor(options) {
        super(options)
        this.setServers(['${address}'])
      }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
}
