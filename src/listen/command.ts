import type { Command } from '../cli/command.ts'

/** How long a post to the local address may take, its answer included, in milliseconds: as long as a delivery by default. */
export const POST_LIMIT_MS = 15_000

/** `listen` as the command line describes it. What it does is in run.ts: src/cli.ts hands over before it loads COMMANDS. */
export const LISTEN: Command = {
  name: 'listen',
  group: 'For developers',
  summary: 'Follow the events of a company and post each one, signed, to an address of this machine.',
  options: {
    api: { value: 'URL', help: 'Where the api is, such as https://sales.example.com.', isRequired: true },
    'forward-to': {
      value: 'URL',
      help: 'Where to post events, such as http://localhost:4000/hook.',
      isRequired: true,
    },
    key: {
      value: 'KEY',
      help: 'An API key with read:webhooks. Without it a terminal asks, or stdin is read.',
    },
    events: {
      value: 'TYPE,…',
      help: 'Only events of these types, such as contact.created; by default of all.',
    },
    since: {
      value: 'CURSOR',
      help: 'Replay what comes behind this cursor, or start: all there is. By default only what comes from now on.',
    },
    secret: { value: 'SECRET', help: 'Sign with this secret, whsec_…. By default with a new one.' },
  },
  details: `Events go one at a time, in order, with the bytes and headers of a delivery. Each is posted once: what the address
refuses, or does not answer within ${POST_LIMIT_MS / 1000} s, counts as failed, and --since replays it. Ctrl-C ends, and prints
where to go on. It needs neither database nor settings. dist/listen.js is the same program in one file.`,
  run: () => Promise.reject(new Error('src/cli.ts runs listen without the parts of the service')),
}
